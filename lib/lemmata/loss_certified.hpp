// The population loss [2603.03993v1, eq. (10)] with a proof: an interval with `digits` significant digits.
//
// The integrals are those of race_integrals.hpp in their positive form; docs/certified.md proves the errors of the
// trapezoid rules for them, in the time of the race and in the scores.
//   softmax, softmax-1   up to 4 heads, priors of up to 3 components, any r, b, v
//   bayes-softmax        r = 0, up to 2 features, priors of up to 3 components
// Anything else: InvalidInput. Any L from 2 to 1e9. Cost at 12 digits: a tenth of a second for one head, about a second
// for each pair of heads, more if scores are wide (their standard deviation sets the nodes). Unfinished if too wide.
#pragma once

#include <lemmata/enclosure.hpp>
#include <lemmata/problem.hpp>

namespace lemmata {

Enclosure loss_certified(const Problem& problem, const State& state, int digits = 12);

}  // namespace lemmata
