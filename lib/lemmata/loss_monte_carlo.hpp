// The population loss [2603.03993v1, eq. (10)] and its gradient by sampling.
//
// When to use: Bayes-softmax with many heads and R != 0, checks of the exact engine, and the
// paper's own procedure (1e5 samples, kept fixed). Otherwise loss_exact is faster and exact.
//
// Errors are standard errors from independent batches (tiles of 64 sequences; for sobol, the 32
// replicates), widened by Student's t so that four of them hold with the probability of four
// sigmas. Gradients are those of the sampled loss itself (analytic, through the activation's
// pullback), so with fixed samples value and gradient belong to one smooth function.
// Same bits for any number of threads. Cost: about H L exponentials per sample, memory bounded.
#pragma once

#include <lemmata/loss.hpp>
#include <lemmata/problem.hpp>
#include <lemmata/samples.hpp>

#include <functional>

namespace lemmata {

// Called from time to time with the fraction done; may throw to stop. Never called concurrently.
using Progress = std::function<void(double)>;

struct MonteCarloOptions {
    std::int64_t samples = 100'000;
    Sampling sampling = Sampling::plain;
    std::uint64_t seed = 1;
    bool gradient = false;
    Progress progress = {};
};

// Draws tile after tile; keeps none.
LossEstimate loss_monte_carlo(const Problem& problem, const State& state, const MonteCarloOptions& options = {});

// On given samples, which must have been made for the problem's prior, L and H.
LossEstimate loss_monte_carlo(const Problem& problem, const State& state, const Samples& samples, bool gradient,
                              const Progress& progress = {});

}  // namespace lemmata
