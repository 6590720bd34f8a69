// From the end of a flow to its limit: a second-order method on exact gradients.
//
// Newton steps in the eigenbasis of the Hessian H, with every curvature replaced by its absolute
// value plus a shift that shrinks on success (Levenberg; "saddle-free"): x -= (|H| + shift)^-1
// grad E, accepted if the loss or, once that is flat to rounding, the gradient falls. H is the
// central difference of the engine's gradient, error about step^2 + (gradient error) / step.
// Flat directions (r -> r O leaves the loss alone; unused biases) do no harm.
//
// The end is a minimum if no curvature lies below -curvature_error; a saddle is reported, not left.
// Cost: 2 (HF + H^2 + H + 1) evaluations per iteration. Needs a deterministic engine.
#pragma once

#include <lemmata/flow.hpp>

namespace lemmata {

struct PolishOptions {
    double gradient = 1e-9;  // done when no entry of the gradient exceeds it
    int max_iterations = 60;
    double difference_step = 1e-4;
    double curvature_error = 1e-5;
};

struct Polished {
    State state;
    Estimate loss;
    double largest_gradient = 0;
    Eigen::VectorXd curvatures;  // eigenvalues of the Hessian at the end, ascending
    bool minimum = false;
    int iterations = 0;
};

// Unfinished if the gradient does not fall below the wanted size.
Polished polish(const LossFunction& loss, const State& start, const PolishOptions& options = {});

// The Hessian of the loss over flatten(state), from central differences of its gradient.
Eigen::MatrixXd difference_hessian(const LossFunction& loss, const State& state, double step);

}  // namespace lemmata
