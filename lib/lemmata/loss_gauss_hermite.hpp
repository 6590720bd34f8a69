// The population loss by the races' integrals with plain Gauss-Hermite rules of order n for the scores:
// an independent route, and the subject of the convergence study (error against n).
//
// When not to use: for results. A Gauss-Hermite rule converges like exp(-(pi / sigma) sqrt(n)) for scores
// of standard deviation sigma (the race functions are analytic in |Im| < pi/2 only), so wide scores need
// many nodes where a lattice needs few. Formulas and outer lattice (12 digits) are those of loss_reference.hpp.
// Error: the distance from the rule of order about 3n/4, an estimate that covers while it converges; it is
// no bound for n below 4, or where the scores are so wide that neither rule has begun to converge.
// Cost for each pair of heads: (nodes in u) x n^2 exponentials, and the same for the second rule.
#pragma once

#include <lemmata/loss.hpp>
#include <lemmata/problem.hpp>

namespace lemmata {

// Order from 2 to max_gauss_hermite_order. Softmax and softmax-1. InvalidInput otherwise.
LossEstimate loss_gauss_hermite(const Problem& problem, const State& state, int order = 32);

}  // namespace lemmata
