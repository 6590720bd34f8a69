// The setting that all benchmarks share: H = 8, F = 3, L = 5, Gaussian prior 20 -> 1 (the paper's
// Fig. 4), early in training: small overlaps, r close to the identity.
#pragma once

#include <lemmata/problem.hpp>

inline lemmata::Problem bench_problem(lemmata::Activation activation, std::int64_t tokens = 5) {
    return {activation, tokens, lemmata::Prior::gaussian(lemmata::linear_variances(3, 20, 1))};
}

inline lemmata::State early_state(int heads = 8) {
    return lemmata::random_state(heads, 3, 0.9, 0.05, 1);
}
