// Lemma A.4, eqs. (33) and (34): gradients of softmax-1 in b and v at m = r = 0.
//
// There all scores are 0, so the loss is one number, not an expectation, and its derivatives come
// out to rounding. Two routes: the analytic gradient of the loss, and differences of its value.
// The claimed right-hand sides are the printed expressions of the claim itself, evaluated.
#include "checks/checks.hpp"
#include "checks/expression.hpp"

#include <lemmata/loss_monte_carlo.hpp>
#include <lemmata/verify/claim.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata::verify::checks {
namespace {

struct Point {
    int tokens, heads;
    double b, v;
};

// H = 1 is left to the symbolic route: there a broken formula may divide by H - 1.
constexpr Point points[] = {{2, 2, 0, 1}, {2, 3, 0, 1}, {5, 4, 0.7, 1.9}, {10, 3, -1.5, 0.4}, {3, 8, 2, 3}};

double claimed(const std::string& expression, const Point& p) {
    return evaluate(expression, {{"L", p.tokens}, {"H", p.heads}, {"B", std::exp(p.b)}, {"v", p.v}}, "lemma-A.4");
}

enum class Direction { one_bias, all_biases, scale };

std::string_view name(Direction direction) {
    switch (direction) {
        case Direction::one_bias:
            return "b_1";
        case Direction::all_biases:
            return "b~";
        case Direction::scale:
            return "v";
    }
    return "";
}

// The loss at m = r = 0, moved by `step` in a direction; one tile of samples is enough.
LossEstimate loss_at(const Point& p, Direction direction, double step, bool gradient) {
    State state = zero_state(p.heads, 1);
    state.b.setConstant(p.b);
    state.v = p.v;
    if (direction == Direction::one_bias) state.b[0] += step;
    if (direction == Direction::all_biases) state.b.array() += step;
    if (direction == Direction::scale) state.v += step;
    MonteCarloOptions options;
    options.samples = 2 * tile_width;
    options.gradient = gradient;
    return loss_monte_carlo({Activation::softmax_1, p.tokens, Prior::spike(1)}, state, options);
}

Estimate analytic(const Point& p, Direction direction) {
    const Gradient gradient = loss_at(p, direction, 0, true).gradient->value;
    double value = gradient.v;
    if (direction == Direction::one_bias) value = gradient.b[0];
    if (direction == Direction::all_biases) value = gradient.b.sum();
    return {value, 1e-13 * (1 + p.v * p.v), ErrorKind::bound};  // a hundred roundings of terms of size v^2
}

// Richardson's extrapolation of central differences: error h^4 f'''''/30 + ulp/h, below 1e-10
// for h = 1e-2 where the fifth derivative is below 1e3 … doubled steps tell the actual size.
Estimate differences(const Point& p, Direction direction) {
    const auto central = [&](double h) {
        return (loss_at(p, direction, h, false).loss.value - loss_at(p, direction, -h, false).loss.value) / (2 * h);
    };
    const auto extrapolated = [&](double h) { return (4 * central(h) - central(2 * h)) / 3; };
    const double value = extrapolated(5e-3);
    return {value, std::abs(value - extrapolated(1e-2)) + 1e-11, ErrorKind::bound};
}

std::vector<Evidence> run(const Claim& claim, const Context& context, Direction direction) {
    std::vector<Evidence> evidence;
    for (const Point& p : points) {
        context.poll();
        const std::string quantity =
            fmt::format("dE/d{} at L={}, H={}, b={}, v={}", name(direction), p.tokens, p.heads, p.b, p.v);
        const auto add = [&](Form form, const std::string& expression) {
            const double expected = claimed(expression, p);
            const double resolution = 0.001 * std::abs(expected);
            evidence.push_back(
                compare(form, "analytic gradient", quantity, expected, analytic(p, direction), resolution));
            evidence.push_back(compare(form, "differences", quantity, expected, differences(p, direction), resolution));
        };
        add(Form::printed, claim.expression);
        if (claim.corrected) add(Form::corrected, claim.corrected->expression);
    }
    return evidence;
}

}  // namespace

std::vector<Check> lemma_a4() {
    const auto along = [](Direction direction) {
        return [direction](const Claim& claim, const Context& context) { return run(claim, context, direction); };
    };
    return {{"lemma-A.4/eq-33", {"analytic gradient", "differences"}, along(Direction::one_bias), true},
            {"lemma-A.4/eq-33/along-b", {"analytic gradient", "differences"}, along(Direction::all_biases), true},
            {"lemma-A.4/eq-34", {"analytic gradient", "differences"}, along(Direction::scale), true}};
}

}  // namespace lemmata::verify::checks
