#include <lemmata/error.hpp>
#include <lemmata/prior.hpp>
#include <lemmata/pruning.hpp>

#include <fmt/format.h>
#include <numeric>

namespace lemmata {

State without_head(const State& state, int head) {
    if (state.heads() < 2 || head < 0 || head >= state.heads())
        throw InvalidInput("head", fmt::format("{} of {}", head, state.heads()), "one of two heads or more");
    std::vector<int> left;
    for (int h = 0; h < state.heads(); ++h)
        if (h != head) left.push_back(h);
    const Eigen::MatrixXd R = state.r * state.r.transpose();
    State rest = state;
    rest.m = state.m(left, Eigen::all);
    rest.r = square_root_factor(R(left, left));
    rest.b = state.b(left);
    return rest;
}

Pruning prune_greedily(const std::function<Estimate(const State&)>& loss, const State& trained) {
    Pruning result{{}, {loss(trained)}};
    std::vector<int> left(static_cast<std::size_t>(trained.heads()));
    std::iota(left.begin(), left.end(), 0);
    for (State state = trained; state.heads() > 1;) {
        int best = 0;
        Estimate least;
        for (int h = 0; h < state.heads(); ++h) {
            const Estimate e = loss(without_head(state, h));
            if (h == 0 || e.value < least.value) {
                best = h;
                least = e;
            }
        }
        state = without_head(state, best);
        result.order.push_back(left[static_cast<std::size_t>(best)]);
        left.erase(left.begin() + best);
        result.losses.push_back(least);
    }
    result.order.push_back(left.front());
    return result;
}

}  // namespace lemmata
