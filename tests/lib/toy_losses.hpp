// Losses with known flows, for tests of what runs on top of a loss.
#pragma once

#include <lemmata/flow.hpp>

namespace toy {

// E = sum over m of (m^4 / 4 - m^2 / 2): a saddle at 0, minima at +-1, and m' = m - m^3.
inline lemmata::LossEstimate double_well(const lemmata::State& state) {
    lemmata::Gradient gradient = lemmata::zero_state(state.heads(), state.features());
    const auto m = state.m.array();
    gradient.m = m.cube() - m;
    return {{(m.square().square() / 4 - m.square() / 2).sum(), 0},
            lemmata::GradientEstimate{gradient, lemmata::zero_state(state.heads(), state.features())},
            "toy"};
}

// E = trace(G r r^T).
inline lemmata::LossFunction linear_in_R(const Eigen::MatrixXd& g) {
    return [g](const lemmata::State& state) {
        lemmata::Gradient gradient = lemmata::zero_state(state.heads(), state.features());
        gradient.r = 2 * g * state.r;
        return lemmata::LossEstimate{
            {(g * state.r * state.r.transpose()).trace(), 0},
            lemmata::GradientEstimate{gradient, lemmata::zero_state(state.heads(), state.features())},
            "toy"};
    };
}

// The same loss with the gradient's sign wrong: what a check must notice.
inline lemmata::LossFunction uphill(const lemmata::LossFunction& loss) {
    return [loss](const lemmata::State& state) {
        lemmata::LossEstimate at = loss(state);
        at.gradient->value.m *= -1;
        return at;
    };
}

}  // namespace toy
