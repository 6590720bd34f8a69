// Trained attentions, as Figs. 5, 6 and 7 use them: the same settings are the same runs in the store.
#pragma once

#include "figures/runs.hpp"

namespace lemmata::verify::figures {

FlowRun trained(const FigureContext& context, const Problem& problem, int heads, std::uint64_t seed);

}  // namespace lemmata::verify::figures
