// The race of a centred Gaussian prior's likelihood ratios in ball arithmetic. Not part of the installed interface.
//
// theta ~ N(0, diag v) has W = prod_f (1+v_f)^{-1/2} e^{a_f x_f^2/2}, a = v/(1+v), and for Re p > -1
//     E W^-p = prod_f (1+v_f)^{p/2} (1 + p a_f)^{-1/2}.
// On the line Re p = -1/2, with s = e^u:
//     E[sW e^{-sW}] =  (1/2 pi i) int Gamma(p+1) s^-p E W^-p dp,
//     E[1 - e^{-sW}] = -(1/2 pi i) int Gamma(p) s^-p E W^-p dp,
// by the trapezoid rule, whose error theorem 5 of docs/certified.md bounds.
#pragma once

#include <lemmata/certified_race.hpp>

#include <acb.h>

#include <memory>
#include <vector>

namespace lemmata {

class MellinRace {
public:
    MellinRace(const std::vector<Ball>& variances, const RaceGoal& goal);
    // lost and first; second is not computed.
    [[nodiscard]] RaceValues at(const Ball& u) const;

    double spacing = 0, end = 0;  // of the lattice in Im p

private:
    struct Vector;
    std::shared_ptr<const Vector> first_, lost_;  // the integrands without s^-p, at k * spacing, k >= 0
    std::int64_t nodes_ = 0;
    slong bits_ = 0;
    Ball strip_error_;  // times max(1, e^u)
    Ball cut_;          // times e^{u/2}
};

}  // namespace lemmata
