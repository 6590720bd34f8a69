// One law of a pair of heads on its lattice: the race functions of each head as combinations of few
// common columns,
//     E[f_i f_j](u1, u2) = sum_k weights_k first(u1, k) second(u2, k),
// by Mehler's expansion (race_expansion.hpp), or by the direct split
//     chi_i = shared_i z + own_i z_i,
// the correlation being carried by z alone: column k then belongs to a node z_k, and holds the race
// functions smoothed by own_i. The split holds for every correlation from -1 to 1.
#pragma once

#include <lemmata/race_integrals.hpp>
#include <lemmata/scratch.hpp>

#include <Eigen/Core>

namespace lemmata {

double correlation(const PairLaw& law);

struct SplitLaw {
    double shared1, shared2, own1, own2;
};
SplitLaw split_law(const PairLaw& law);

class PairFactors {
public:
    using View = Eigen::Map<const Eigen::MatrixXd>;
    Eigen::VectorXd weights;
    Eigen::VectorXd first_mean, second_mean;  // (derivatives n): each head's average alone
    [[nodiscard]] View first() const { return {first_, first_mean.size(), weights.size()}; }
    [[nodiscard]] View second() const { return {second_, second_mean.size(), weights.size()}; }

    // Refers to what the heads have prepared.
    void expand(double correlation, int terms, const RaceExpansion& first, const RaceExpansion& second);

    // Accuracy and tail as in race.hpp.
    void split(const PairLaw& law, const TimeLattice& u1, const TimeLattice& u2, int derivatives, double accuracy,
               double tail);

private:
    const double *first_ = nullptr, *second_ = nullptr;
    ScratchMatrix own_first_, own_second_, live_first_, live_second_;
};

}  // namespace lemmata
