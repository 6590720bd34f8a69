// The laws of the dynamics as measurements [2603.03993v1, Props. III.2 and III.4, Lemma III.1].
//
// Each function measures what a law predicts from another side: rates and slopes from the flow
// (to be held against the closed forms of the constants, or against the Hessian), distances from
// SGD in D dimensions.
#pragma once

#include <lemmata/fit.hpp>
#include <lemmata/sgd_run.hpp>

#include <vector>

namespace lemmata {

// Rate at which the flow leaves `saddle` along `direction` (an eigendirection of the Hessian): the
// growth of their scalar product between `amplitude` and ten times it, log 10 over the time it
// takes. Extrapolated from two amplitudes, since the rate changes as their square; the
// extrapolation's own step is the error. Unfinished if nothing grows by `patience`.
Estimate escape_rate(const LossFunction& loss, const State& saddle, const Gradient& direction, double amplitude = 1e-3,
                     double patience = 1e4);

// The second derivative of the loss along a unit direction, from central differences of the
// gradient: minus the rate at which a perturbation in that direction grows. Error as stated in polish.hpp.
double curvature(const LossFunction& loss, const State& state, const Gradient& direction, double step = 1e-4);

// Specialization times tau_s of flows from saddle + direction / sqrt(D), the size of a random
// start's overlaps, for the dimensions given; and their slope in log D, predicted as 1 / (2 rate).
struct SpecializationLaw {
    std::vector<double> times;
    LineFit slope;  // of tau_s against log D
};
SpecializationLaw specialization_law(const LossFunction& loss, const State& saddle, const Gradient& direction,
                                     const Eigen::VectorXd& mean_theta, const std::vector<double>& dimensions,
                                     const FlowOptions& options);

// SGD against the flow from its own overlaps, one seed after the other: options.seed, +1, ….
struct SgdComparison {
    std::vector<Distance> distances;  // from the factor's flow
    std::vector<Distance> symmetric;  // from the symmetric root's flow, if asked for
};
struct ComparisonSettings {
    SgdOptions sgd;
    double until = 5;
    int seeds = 4;
    std::optional<State> start;  // the overlaps to start from; else a random start …
    int heads = 2;               // … with so many heads
    double eta = 1;
    bool symmetric = false;
};
SgdComparison compare_with_sgd(const Problem& problem, const Engine& engine, const ComparisonSettings& settings);

}  // namespace lemmata
