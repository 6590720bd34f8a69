// A case of the model: a problem at a state. What a universally quantified claim speaks about, as
// the falsifier (falsifier.hpp) draws and simplifies it.
#pragma once

#include <lemmata/problem.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace lemmata::verify {

struct ModelCase {
    Problem problem;
    State state;
};

// "softmax, L=2, theta: 0.5 at (1, 0), 0.5 at (0, 2), m=(1, 0; 0, 1), r=0, b=0, v=1": enough to rebuild it.
std::string describe(const ModelCase& c);

// Case number `index` of the stream `seed`, biased to corners: all activations; L from 2; H and F from 1
// to 3 (2 heads for Bayes-softmax, where more cost seconds); priors atomic, Gaussian, degenerate,
// skewed, with dependent features; equal, opposite and dead heads; r = 0 or not; weak and strong.
ModelCase draw_case(std::uint64_t seed, std::uint64_t index);

// A case nearby: every number that is not 0 moved by about `step`, structure kept. Deterministic in (seed, index).
ModelCase nearby_case(const ModelCase& c, double step, std::uint64_t seed, std::uint64_t index);

// Simpler cases, one simplification each, the boldest first: fewer heads, features, components, tokens;
// softmax; no covariance; zeros and rounder numbers.
std::vector<ModelCase> simpler_cases(const ModelCase& c);

// What simplifying makes smaller: sizes first, then how many digits the numbers need.
double complexity(const ModelCase& c);

}  // namespace lemmata::verify
