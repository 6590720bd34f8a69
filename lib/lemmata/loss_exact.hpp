// The population loss [2603.03993v1, eq. (10)] and its gradient by quadrature, to ten digits, at a
// cost that does not depend on L.
//
// When to use: always, where it applies; the alternative is sampling (loss_monte_carlo.hpp), with an
// error a million times larger. Softmax and softmax-1 at any m, r, b, v, for every Gaussian-mixture
// prior and 2 <= L <= 1e9: equal, opposite and dead heads, atoms and r = 0 are ordinary cases.
//
// Method: races decouple the tokens (race_integrals.hpp); H one-dimensional and H(H-1)/2
// two-dimensional integrals by the trapezoid rule. Errors are bounds, tested to cover the truth.
// Cost: about 0.1 ms for each pair of heads and core, value and gradient at tolerance 1e-9; it grows
// with the widths of the scores' laws, and slowly with the digits asked for.
// Same bits for any number of threads.
#pragma once

#include <lemmata/loss.hpp>
#include <lemmata/problem.hpp>

namespace lemmata {

struct ExactOptions {
    double tolerance = 1e-9;  // of the loss, absolute; of the gradient, relative to its largest entry (1e-12 .. 1e-2)
    bool gradient = false;
};

// Throws InvalidInput for bad input or an activation without races by head (Bayes-softmax), and
// Unfinished if the error of the loss exceeds the tolerance in the end.
LossEstimate loss_exact(const Problem& problem, const State& state, const ExactOptions& options = {});

}  // namespace lemmata
