// The population loss [2603.03993v1, eq. (10)] and its gradient by quadrature, to ten digits, at a
// cost that does not depend on L.
//
// When to use: always, where it applies; the alternative is sampling (loss_monte_carlo.hpp), with an
// error a million times larger. Softmax and softmax-1 at any m, r, b, v, for every Gaussian-mixture
// prior and 2 <= L <= 1e9: equal, opposite and dead heads, atoms and r = 0 are ordinary cases. Bayes-softmax
// likewise while its inner dimension is small; beyond, its inner averages are sampled and the error says so
// (loss_bayes_softmax.hpp). `method` tells which.
//
// Method: races decouple the tokens (race_integrals.hpp); H one-dimensional and H(H-1)/2 two-dimensional
// integrals by the trapezoid rule. Errors are estimated from the sums themselves and tested to cover the
// truth (docs/accuracy.md).
// Cost for softmax: 0.05 to 0.1 ms for each pair of heads and core (value and gradient, tolerance 1e-9), at any
// width of the scores; more for pairs that are both wide (standard deviation above about 2.5) and nearly equal or
// opposite, where it grows with the cube of that width: about 1 s at correlation 0.999 and any width, 5 s at 0.9999 and
// width 60. Where such a pair would need more than half a gigabyte (equal or opposite heads wider than about 100) it
// is refused as Unfinished. Slowly with the digits asked for.
// Values are tested up to standard deviations of 1e4, gradients and their errors up to 3e3. Beyond 30 the gradient is
// computed twice, with two tolerances, for its error.
// Same bits for any number of threads.
#pragma once

#include <lemmata/loss.hpp>
#include <lemmata/problem.hpp>

namespace lemmata {

struct ExactOptions {
    double tolerance = 1e-9;  // of the loss, absolute; of the gradient, relative to its largest entry (1e-12 .. 1e-2)
    bool gradient = false;
};

// Throws InvalidInput for bad input, and Unfinished if a quadrature error of the loss exceeds the tolerance in
// the end. The gradient's error is stated, not enforced: near a stationary point no relative tolerance can be.
LossEstimate loss_exact(const Problem& problem, const State& state, const ExactOptions& options = {});

}  // namespace lemmata
