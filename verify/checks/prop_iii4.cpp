// Prop. III.4: the specialization phase.
//   tokens       the statement as printed, for every L: at L = 2 softmax cannot leave m = 0.
//   escape-rate  the overlaps grow at the rate of the Hessian, from flows.
//   log-D        the slope of tau_s in log D is half the inverse of that rate, with and without a small r.
//   separation   at tau_s every head is at Theta(1) and some are Theta(1) apart, whatever D.
//   r-stable     r = 0 attracts starts with m and r of order one.
#include "checks/checks.hpp"
#include "checks/exact_engine.hpp"
#include "checks/expression.hpp"
#include "checks/remembered.hpp"

#include <lemmata/error.hpp>
#include <lemmata/events.hpp>
#include <lemmata/expressivity.hpp>
#include <lemmata/laws.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lemmata::verify::checks {
namespace {

// m = r = 0, equal biases, softmax-1 on its line.
State saddle(Activation activation, int heads, int features, double tokens, double exp_bias = 1) {
    State state = state_at(Eigen::MatrixXd::Zero(heads, features));
    if (uses_bias(activation)) state.b.setConstant(std::log(exp_bias));
    if (uses_scale(activation)) state.v = (tokens + exp_bias) / tokens;
    return state;
}

// Half of the heads one way, half the other, along one feature; orthogonal to 1_H for even H.
Gradient alternating(int heads, int features, int feature) {
    Gradient direction = zero_state(heads, features);
    for (int h = 0; h < heads; ++h) direction.m(h, feature) = h % 2 == 0 ? 1 : -1;
    return direction;
}

FlowOptions fine_flow(double until) {
    FlowOptions options;
    options.until = until;
    options.tolerance = 1e-7;
    options.floor = 1e-7;
    return options;
}

std::vector<Evidence> tokens(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    // L = 2: the loss at m = r = 0 is already the least that softmax can have for a symmetric prior. By the
    // inequality of Cauchy-Schwarz a flow then travels at most sqrt(tau times what is left of the loss).
    const Prior prior = Prior::gaussian(Eigen::Vector2d(8, 2));
    const Problem two{Activation::softmax, 2, prior};
    const double dimension = 1e6, until = 20 * std::log(dimension);
    State start = saddle(Activation::softmax, 2, 2, 2);
    start.m = alternating(2, 2, 0).m / std::sqrt(dimension);
    const double above = loss_exact(two, start, {1e-12, false}).loss.value - softmax_floor(prior, 2);
    const Path path = flow(exact_engine(two, 1e-10), start, fine_flow(until)).path;
    double largest = 0;
    for (const auto& knot : path.knots) largest = std::max(largest, spread(unflatten(knot.x, 2, 2), prior.mean()));
    evidence.push_back(at_least(
        Form::printed, "flow",
        fmt::format("largest distance of the heads up to tau = 20 log D, softmax, L=2, H=2, theta ~ N(0, diag(8, 2)), "
                    "D=1e6; the loss at the start is {:.1e} above the least possible",
                    std::max(above, 0.0)),
        0.1, {largest, 1e-3}));
    for (const Activation activation : {Activation::softmax, Activation::softmax_1})
        for (const int L : {3, 5}) {
            context.poll();
            const Problem problem{activation, L, prior};
            State from = saddle(activation, 2, 2, L);
            from.m = alternating(2, 2, 0).m / std::sqrt(dimension);
            const auto time = find_events(flow(exact_engine(problem), from, fine_flow(until)).path, prior.mean()).tau_s;
            evidence.push_back(at_most(Form::corrected, "flow",
                                       fmt::format("tau_s, {}, L={}, the same prior and D", name(activation), L), until,
                                       {time.value_or(1e9), 1e-3}));
        }
    return evidence;
}

struct RatePoint {
    int tokens, heads;
    double variance, exp_bias;
    Estimate rate;
};

std::vector<RatePoint> measured_rates(Activation activation, const Context& context) {
    std::vector<RatePoint> points{{5, 2, 8, 1, {}}, {3, 2, 4, 2, {}}};
    if (activation != Activation::bayes_softmax) points.push_back({5, 4, 8, 0.5, {}});
    for (RatePoint& p : points) {
        context.poll();
        const Problem problem{activation, p.tokens, Prior::gaussian(Eigen::VectorXd::Constant(1, p.variance))};
        p.rate = escape_rate(exact_engine(problem, 1e-10), saddle(activation, p.heads, 1, p.tokens, p.exp_bias),
                             alternating(p.heads, 1, 0), 2e-3);
    }
    return points;
}

std::vector<Evidence> escape(const std::vector<RatePoint>& points, const Claim& claim) {
    std::vector<Evidence> evidence;
    for (const RatePoint& p : points) {
        const double expected = evaluate(
            claim.expression, {{"L", p.tokens}, {"H", p.heads}, {"V", p.variance}, {"B", p.exp_bias}}, claim.id);
        evidence.push_back(
            compare(Form::printed, "flow",
                    fmt::format("growth rate of the overlaps near m = r = 0, L={}, H={}, Var theta={}, e^b={}",
                                p.tokens, p.heads, p.variance, p.exp_bias),
                    expected, {p.rate.value, p.rate.error + 1e-6 * p.rate.value}, 0.001 * p.rate.value));
    }
    return evidence;
}

struct Slope {
    double eta;
    Estimate slope;  // of tau_s in log D, L = 5, H = 2, theta ~ N(0, diag(8, 2))
};

std::vector<Slope> measured_slopes(const Context& context) {
    const Problem problem{Activation::softmax, 5, Prior::gaussian(Eigen::Vector2d(8, 2))};
    std::vector<Slope> slopes;
    for (const double eta : {0.0, 0.01}) {
        context.poll();
        State from = saddle(problem.activation, 2, 2, 5);
        from.r = eta * Eigen::MatrixXd::Identity(2, 2);
        // The time at which the heads are 0.2 apart: any fixed distance will do, this one is reached early.
        const auto time = [&](double dimension) {
            State start = from;
            start.m = alternating(2, 2, 0).m / std::sqrt(dimension);
            const Path path = flow(exact_engine(problem), start, fine_flow(20)).path;
            const auto at = first_time(
                path, [](const State& s) { return (s.m.row(0) - s.m.row(1)).norm(); }, 0.2);
            if (!at) throw Unfinished("log-D: the heads did not part");
            return *at;
        };
        const double decade = std::log(10.0), first = time(1e7), second = time(1e8), third = time(1e9);
        const double early = (second - first) / decade, late = (third - second) / decade;
        // What changes from decade to decade, and what r = eta does to the rate, a few eta^2 of it.
        slopes.push_back({eta, {late, std::abs(late - early) + (3 * eta * eta + 1e-5) * late}});
    }
    return slopes;
}

std::vector<Evidence> log_d(const std::vector<Slope>& slopes, const Claim& claim) {
    const double expected = evaluate(claim.expression, {{"L", 5}, {"H", 2}, {"V", 8}}, claim.id);
    std::vector<Evidence> evidence;
    for (const auto& [eta, slope] : slopes)
        evidence.push_back(compare(Form::printed, "flow",
                                   fmt::format("slope of tau_s in log D, D=1e8 to 1e9, L=5, H=2, theta ~ N(0, diag(8, "
                                               "2)), eta={}",
                                               eta),
                                   expected, slope, 0.01 * slope.value));
    return evidence;
}

std::vector<Evidence> separation(const Claim&, const Context& context) {
    // E theta small but not 0, three heads, a random start of size D^-1/2.
    Component wide{1, Eigen::Vector2d(0, 0.2), Eigen::Vector2d(8, 1).asDiagonal()};
    const Problem problem{Activation::softmax, 5, Prior::mixture({wide})};
    std::vector<Evidence> evidence;
    std::vector<double> apart;
    for (const double dimension : {1e4, 1e6, 1e8}) {
        context.poll();
        const State start = random_state(3, 2, 0.01, 1 / std::sqrt(dimension), context.seed);
        const Path path = flow(exact_engine(problem), start, fine_flow(80)).path;
        const auto time = find_events(path, problem.prior.mean()).tau_s;
        if (!time) throw Unfinished("separation: the heads did not part");
        const State there = interpolate(path, *time);
        apart.push_back(spread(there, problem.prior.mean()));
        const double least = there.m.col(0).cwiseAbs().minCoeff();
        evidence.push_back(
            our_reading(at_least(Form::printed, "flow",
                                 fmt::format("smallest overlap of a head orthogonal to E theta at tau_s={:.3g}, "
                                             "softmax, L=5, H=3, D={:.0e}",
                                             *time, dimension),
                                 0.01, {least, 1e-4}, context.seed)));
        evidence.push_back(our_reading(at_least(Form::printed, "flow",
                                                fmt::format("largest distance of heads there, D={:.0e}", dimension),
                                                0.1, {apart.back(), 1e-4}, context.seed)));
    }
    const auto [low, high] = std::minmax_element(apart.begin(), apart.end());
    evidence.push_back(
        our_reading(at_most(Form::printed, "flow", "largest over smallest of these distances, D from 1e4 to 1e8", 2,
                            {*high / *low, 1e-3}, context.seed)));
    return evidence;
}

std::vector<Evidence> r_stable(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    for (const Activation activation : {Activation::softmax, Activation::softmax_1})
        for (const double size : {0.3, 1.0}) {
            context.poll();
            const Problem problem{activation, 5, Prior::gaussian(Eigen::Vector2d(4, 2))};
            State start = random_state(2, 2, 1, 0.3, context.seed);
            start.m *= size / 0.3;
            FlowOptions options;
            options.until = 200;
            const Path path = flow(exact_engine(problem), start, options).path;
            const auto size_of_r = [](const State& s) { return (s.r * s.r.transpose()).trace(); };
            evidence.push_back(our_reading(at_most(
                Form::printed, "flow",
                fmt::format("tr R at tau=200 over tr R at 0, {}, L=5, H=2, |m| ~ {}, |r| ~ 1", name(activation), size),
                0.05, {size_of_r(last_state(path)) / size_of_r(start), 1e-4}, context.seed)));
        }
    return evidence;
}

}  // namespace

std::vector<Check> prop_iii4() {
    std::vector<Check> checks{{"prop-III.4/tokens", {"flow", "lower bound of the loss"}, tokens},
                              {"prop-III.4/separation", {"flow"}, separation},
                              {"prop-III.4/r-stable", {"flow"}, r_stable}};
    const auto slopes = remembered<std::vector<Slope>>(measured_slopes);
    checks.push_back({"prop-III.4/log-D",
                      {"flow"},
                      [slopes](const Claim& claim, const Context& context) { return log_d(slopes(context), claim); },
                      true});
    for (const Activation activation : all_activations) {
        const auto rates = remembered<std::vector<RatePoint>>(
            [activation](const Context& context) { return measured_rates(activation, context); });
        checks.push_back({fmt::format("prop-III.4/escape-rate/{}", name(activation)),
                          {"flow"},
                          [rates](const Claim& claim, const Context& context) { return escape(rates(context), claim); },
                          true});
    }
    return checks;
}

}  // namespace lemmata::verify::checks
