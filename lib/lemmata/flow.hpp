// The gradient flow of the order parameters [2603.03993v1, Prop. III.2, eq. (12)]:
//     dx/dtau = - grad E(x),   x = (m, r, b, v),   tau = rate * SGD steps.
//
// r is an unconstrained factor of R = r r^T, for which R' = -2 (G R + R G) with G = dE/dR: what
// the heads' components outside the span of the features do under their own gradients. The paper
// takes r as the symmetric root. Gradient descent within symmetric matrices is another flow,
// R' = -(G R + R G) - 2 r G r, unless r and G commute; Root::symmetric integrates it, for
// comparison. (For symmetric r its gradient is the symmetric part of the factor's.)
//
// Method: Dormand-Prince 5(4) of Boost.ODEInt with dense output. The estimated error of a step
// stays below tolerance * (|x_i| + |dtau x_i'| + floor) for every entry x_i. Plateaus need no stiff
// method: the spectrum is real and its largest entries are of order 1. With `euler_step` fixed
// Euler steps instead, as the paper does; engines with fresh samples need that.
//
// The loss must not rise along the flow by more than errors allow; if it does, or if steps run out
// or shrink to nothing, Unfinished says so.
// Cost: six loss-and-gradient evaluations a step.
#pragma once

#include <lemmata/loss.hpp>
#include <lemmata/path.hpp>

#include <functional>

namespace lemmata {

// Any engine: the loss with its gradient.
using LossFunction = std::function<LossEstimate(const State&)>;

enum class Root { factor, symmetric };
enum class Stop { until, converged, interrupted };

struct FlowProgress {
    double tau;
    double loss;
    double largest_gradient;
};

struct FlowOptions {
    double until = 200;
    double tolerance = 1e-6;
    double floor = 1e-4;
    double converged = 1e-8;  // stops when no entry of the gradient exceeds it; 0: never
    int max_steps = 100'000;
    double euler_step = 0;  // > 0: Euler steps of this length
    Root root = Root::factor;
    std::function<bool(const FlowProgress&)> progress = {};  // after every step; false interrupts
};

// Throws InvalidInput, naming `flow.…` fields.
void validate(const FlowOptions& options);

struct FlowResult {
    Path path;
    Stop stopped = Stop::until;
    std::int64_t evaluations = 0;
    std::int64_t rejected = 0;  // steps tried and found too long
    double largest_gradient = 0;

    [[nodiscard]] std::int64_t steps() const { return static_cast<std::int64_t>(path.knots.size()) - 1; }
};

FlowResult flow(const LossFunction& loss, const State& start, const FlowOptions& options);

// Continues a path; one that was interrupted, to the bits of an uninterrupted run.
FlowResult flow(const LossFunction& loss, Path path, const FlowOptions& options);

}  // namespace lemmata
