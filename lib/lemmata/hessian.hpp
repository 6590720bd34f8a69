// Second derivatives of the population loss in (m, r, b, v), by differencing the exact gradient.
//
// Column j is a six-point difference of the gradient (loss_exact.hpp at tolerance 1e-11) along
// coordinate j of flatten(state). Its error, entry by entry, is estimated by the distance from the
// four-point difference, which is the larger of the two truncation errors, plus what the gradient's own
// errors can do. With the step 0.015 both are below 1e-9 of the largest entry at m = r = 0.
// The result is symmetrised; asymmetry beyond the errors would be a bug, and tests look for it.
// Cost: 6 (HF + H^2 + H + 1) gradients; coordinates that the activation ignores cost nothing.
#pragma once

#include <lemmata/problem.hpp>

#include <Eigen/Core>

namespace lemmata {

struct HessianEstimate {
    Eigen::MatrixXd value;  // in the order of flatten: m, r (column by column), b, v
    Eigen::MatrixXd error;
};

// r is the unconstrained factor. Throws as loss_exact does.
HessianEstimate hessian(const Problem& problem, const State& state);

}  // namespace lemmata
