// The population loss by the races' integrals with plain Gauss-Hermite rules of order n for the scores:
// an independent route, and the subject of the convergence study (error against n).
//
// When not to use: for results. A Gauss-Hermite rule converges like exp(-(pi / sigma) sqrt(n)) for scores
// of standard deviation sigma (the race functions are analytic in |Im| < pi/2 only), so wide scores need
// many nodes where a lattice needs few. Formulas and outer lattice (12 digits) are those of loss_reference.hpp; the
// gradient is its derivative, by automatic differentiation, one entry at a time.
// Error: the distance from the rule of order about 3n/4, an estimate that covers while it converges; it is
// no bound for n below 4, or where the scores are so wide that neither rule has begun to converge.
// Cost for each pair of heads: (nodes in u) x n^2 exponentials, for Bayes-softmax (nodes in u) x n^rank(q); the same
// for the second rule; and some three times as much for each entry of the gradient.
#pragma once

#include <lemmata/loss.hpp>
#include <lemmata/problem.hpp>

namespace lemmata {

// Order from 2 to max_gauss_hermite_order; Bayes-softmax with at most max_shared_nodes nodes in all. InvalidInput
// otherwise.
inline constexpr double max_shared_nodes = 1e6;
LossEstimate loss_gauss_hermite(const Problem& problem, const State& state, int order = 32, bool gradient = false);

}  // namespace lemmata
