// The exact loss with its gradient as the engine of a flow.
#pragma once

#include <lemmata/flow.hpp>
#include <lemmata/loss_exact.hpp>

namespace lemmata::verify::checks {

inline LossFunction exact_engine(const Problem& problem, double tolerance = 1e-9) {
    return [problem, tolerance](const State& state) { return loss_exact(problem, state, {tolerance, true}); };
}

}  // namespace lemmata::verify::checks
