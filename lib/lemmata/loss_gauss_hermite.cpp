#include <lemmata/dual.hpp>
#include <lemmata/error.hpp>
#include <lemmata/gauss_hermite.hpp>
#include <lemmata/loss_gauss_hermite.hpp>
#include <lemmata/loss_reference.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <cmath>

namespace lemmata {
namespace {

template <class Real>
Real loss_at_order(const Problem& problem, const StateOf<Real>& state, int order) {
    const QuadratureRule rule = gauss_hermite(order);
    reference::Rule<Real> plain;
    plain.nodes.assign(rule.nodes.begin(), rule.nodes.end());
    plain.weights.assign(rule.weights.begin(), rule.weights.end());
    // A point for a law of no width, as everywhere; anything else gets the rule, whatever its width.
    return loss_reference<Real>(problem, state, 12.0, [plain](const Real& width) {
        return width > 0 ? plain : reference::Rule<Real>{{Real(0)}, {Real(1)}};
    });
}

double derivative(const Problem& problem, const State& state, const State& direction, int order) {
    StateOf<Dual> moved = state_of<Dual>(state);
    const Dual step(0, 1);
    moved.m += step * direction.m.cast<Dual>();
    moved.r += step * direction.r.cast<Dual>();
    moved.b += step * direction.b.cast<Dual>();
    moved.v += step * direction.v;
    return loss_at_order(problem, moved, order).slope;
}

GradientEstimate gradient_at_orders(const Problem& problem, const State& state, int order, int lower) {
    const int heads = state.heads(), features = state.features();
    const Eigen::Index size = flatten(state).size();
    Eigen::VectorXd value = Eigen::VectorXd::Zero(size), error = value;
    tbb::parallel_for(Eigen::Index{0}, size, [&](Eigen::Index i) {
        const bool is_v = i == size - 1, is_b = !is_v && i >= size - 1 - heads;
        if ((is_b && !uses_bias(problem.activation)) || (is_v && !uses_scale(problem.activation))) return;
        const State direction = unflatten(Eigen::VectorXd::Unit(size, i), heads, features);
        value[i] = derivative(problem, state, direction, order);
        error[i] = std::abs(value[i] - derivative(problem, state, direction, lower)) + 1e-11;
    });
    return {unflatten(value, heads, features), unflatten(error, heads, features)};
}

}  // namespace

LossEstimate loss_gauss_hermite(const Problem& problem, const State& state, int order, bool gradient) {
    validate(problem, state);
    if (order < 2 || order > max_gauss_hermite_order)
        throw InvalidInput("nodes", fmt::format("{}", order), fmt::format("2 to {}", max_gauss_hermite_order));
    if (problem.activation == Activation::bayes_softmax && std::pow(order, state.heads()) > max_shared_nodes)
        throw InvalidInput("nodes", fmt::format("{} with {} heads of Bayes-softmax", order, state.heads()),
                           fmt::format("at most {:g} nodes, nodes^heads", max_shared_nodes));
    const int lower = order - (order + 3) / 4;
    const StateOf<double> plain = state_of<double>(state);
    LossEstimate estimate;
    estimate.loss.value = loss_at_order(problem, plain, order);
    estimate.loss.error = std::abs(estimate.loss.value - loss_at_order(problem, plain, lower)) + 1e-12;
    if (gradient) estimate.gradient = gradient_at_orders(problem, state, order, lower);
    estimate.method = fmt::format("gauss-hermite ({} nodes)", order);
    return estimate;
}

}  // namespace lemmata
