// The runs that figures are made of, taken from the store where they are there. Independent runs go in
// parallel. The seeds of a figure's runs are first_seed(context) + 0, 1, ….
//
// Engine: the exact loss, to 1e-7; for Bayes-softmax with two heads or more fixed Sobol points, as many as the
// tier says (2048, 8192, 131072), because its exact inner integral has as many dimensions as heads.
#pragma once

#include <lemmata/laws.hpp>
#include <lemmata/pruning.hpp>
#include <lemmata/verify/figure.hpp>

namespace lemmata::verify::figures {

std::uint64_t first_seed(const FigureContext& context);

// A flow from random_state(heads, F, eta = 1, noise, seed), until that time or until no entry of the gradient
// exceeds 1e-8.
struct FlowRun {
    Problem problem;
    int heads;
    std::uint64_t seed;
    double until;
    double noise = 0.01;  // the paper's
};
std::vector<Path> flows(const FigureContext& context, const std::vector<FlowRun>& runs);

// Where such a flow ends for good: flow until no entry of the gradient exceeds 1e-5, then Newton steps
// (polish.hpp) where the engine is exact, there are at most four heads and the tier is not quick; else flow until 1e-6.
// `loss` is the loss there with its error: exact, or on other Sobol points than those it was trained on.
struct Limit {
    State state;
    Estimate loss;
    double largest_gradient;
    bool minimum;  // no direction of negative curvature; only known where it was polished
};
std::vector<Limit> limits(const FigureContext& context, const std::vector<FlowRun>& runs);

// Such a limit without one head after the other.
std::vector<Pruning> prunings(const FigureContext& context, const std::vector<FlowRun>& runs);

// A flow in the paper's Euler steps: on the exact loss, on samples drawn once, or on new ones at every step.
enum class Draw { none, fixed, fresh };
struct EulerRun {
    FlowRun flow;
    Draw draw;
    std::int64_t samples;
};
constexpr double euler_step = 0.02;
std::vector<Path> euler_flows(const FigureContext& context, const std::vector<EulerRun>& runs);

// SGD in D dimensions with N_b = D and the paper's rate, and the flow from its initial overlaps.
struct SgdSetting {
    Problem problem;
    int heads;
    int dimension;
    std::uint64_t seed;
    double until;
};
constexpr double sgd_rate = 0.02;

struct SgdWithFlow {
    SgdRun course;  // without its weights
    Path beside;    // in the orthonormal basis of the spikes
};
std::vector<SgdWithFlow> sgd_with_flow(const FigureContext& context, const std::vector<SgdSetting>& runs);

LossFunction engine(const FigureContext& context, const Problem& problem, int heads);
bool exact(const Problem& problem, int heads);

}  // namespace lemmata::verify::figures
