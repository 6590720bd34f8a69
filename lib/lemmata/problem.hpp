// What is to be learnt and by what: activation, number of tokens L, prior of theta.
#pragma once

#include <lemmata/activation.hpp>
#include <lemmata/prior.hpp>
#include <lemmata/state.hpp>

#include <cstdint>

namespace lemmata {

struct Problem {
    Activation activation;
    std::int64_t tokens;  // L >= 2
    Prior prior;
};

// Throws InvalidInput unless L >= 2, shapes of the state agree with each other and with the
// prior, and all entries are finite. Fields are named as in a scenario file: `state.m`, ….
void validate(const Problem& problem, const State& state);

}  // namespace lemmata
