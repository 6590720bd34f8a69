#include <lemmata/error.hpp>
#include <lemmata/gauss_hermite.hpp>
#include <lemmata/loss_gauss_hermite.hpp>
#include <lemmata/loss_reference.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata {
namespace {

double loss_at_order(const Problem& problem, const State& state, int order) {
    const QuadratureRule rule = gauss_hermite(order);
    reference::Rule<double> plain;
    plain.nodes.assign(rule.nodes.begin(), rule.nodes.end());
    plain.weights.assign(rule.weights.begin(), rule.weights.end());
    auto model = reference::make_model(problem, state_of<double>(state), 12.0);
    // A point for a law of no width, as everywhere; anything else gets the rule, whatever its width.
    model.given_rule = [plain](const double& width) {
        return width > 0 ? plain : reference::Rule<double>{{0.0}, {1.0}};
    };
    const double v = uses_scale(problem.activation) ? state.v : 1;
    return reference::loss_of(model, v / state.heads());
}

}  // namespace

LossEstimate loss_gauss_hermite(const Problem& problem, const State& state, int order) {
    validate(problem, state);
    if (order < 2 || order > max_gauss_hermite_order)
        throw InvalidInput("nodes", fmt::format("{}", order), fmt::format("2 to {}", max_gauss_hermite_order));
    LossEstimate estimate;
    estimate.loss.value = loss_at_order(problem, state, order);
    estimate.loss.error =
        std::abs(estimate.loss.value - loss_at_order(problem, state, order - (order + 3) / 4)) + 1e-12;
    estimate.method = fmt::format("gauss-hermite ({} nodes)", order);
    return estimate;
}

}  // namespace lemmata
