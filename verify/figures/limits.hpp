// Trained attentions, as Figs. 5, 6 and 7 use them: the same settings are the same runs in the store.
#pragma once

#include "figures/runs.hpp"

namespace lemmata::verify::figures {

FlowRun trained(const Problem& problem, int heads, std::uint64_t seed);

// The losses of several runs of one setting.
struct Ends {
    double mean = 0, deviation = 0, least = 0;
    double error = 0;  // largest margin of a single loss
};
Ends ends_of(const std::vector<Limit>& limits);

}  // namespace lemmata::verify::figures
