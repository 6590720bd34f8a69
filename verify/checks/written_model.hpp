// The model as it is written [2603.03993v1, eqs. (2)-(4), (6)], one sequence after the other in D
// dimensions: plain and slow, to hold the engines against. It shares nothing with them but the random
// numbers.
#pragma once

#include <lemmata/estimate.hpp>
#include <lemmata/problem.hpp>

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

namespace lemmata::verify::checks {

// eq. (2): tokens (L x D) and the index of the relevant one.
struct Sequence {
    Eigen::MatrixXd tokens;
    Eigen::Index relevant = 0;
};

class SequenceSource {
public:
    SequenceSource(const Problem& problem, Eigen::MatrixXd spikes, std::uint64_t seed);  // spikes: D x F
    [[nodiscard]] Sequence draw(std::uint64_t index) const;

private:
    std::int64_t tokens_;
    Prior prior_;
    std::vector<Eigen::MatrixXd> factors_;  // square roots of the components' covariances
    Eigen::MatrixXd spikes_;
    std::uint64_t seed_;
};

// sigma (H x L) by the definitions, no exponent shifted: scores must stay below 700.
Eigen::MatrixXd written_activation(Activation activation, const Eigen::MatrixXd& chi, const Eigen::VectorXd& b,
                                   double v);

// Averages over sequences, with their standard errors.
struct WrittenLoss {
    Estimate loss;     // (1/D) |y - yhat|^2, eqs. (3) and (6)
    Estimate reduced;  // sum_l (delta_{l,eps} - (1/H) sum_h sigma_hl)^2 of the same sequences, eq. (10)
    Estimate excess;   // the first minus the second
};
// Heads k are D x H.
WrittenLoss written_loss(const Problem& problem, const Eigen::MatrixXd& spikes, const Eigen::MatrixXd& k,
                         const Eigen::VectorXd& b, double v, int sequences, std::uint64_t seed,
                         const std::function<void()>& poll);

}  // namespace lemmata::verify::checks
