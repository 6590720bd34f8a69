// Prop. III.2: SGD in D dimensions against the flow of its order parameters.
//   flow/<activation>  from random starts the distance vanishes as D grows; a flow that is 20% too fast
//                      stays away, so the distance would show.
//   root               which flow of R? Two heads that differ, so that r and dE/dR do not commute.
#include "checks/checks.hpp"
#include "checks/exact_engine.hpp"

#include <lemmata/laws.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lemmata::verify::checks {
namespace {

Estimate mean_distance(const std::vector<Distance>& distances, double Distance::*part) {
    Eigen::VectorXd values(static_cast<Eigen::Index>(distances.size()));
    for (std::size_t i = 0; i < distances.size(); ++i) values[static_cast<Eigen::Index>(i)] = distances[i].*part;
    return mean_of(values);
}

std::vector<Evidence> root(const Claim&, const Context& context) {
    const Problem problem{Activation::softmax, 5, Prior::gaussian(Eigen::Vector2d(8, 2))};
    State start = state_at((Eigen::MatrixXd(2, 2) << 1.5, 0.2, 0.1, 0.6).finished());
    start.r << 1.2, 0.8, 0.8, 0.7;
    const Engine engine = [](const Problem& p, int) { return exact_engine(p); };
    ComparisonSettings settings;
    settings.sgd.dimension = context.tier == Tier::quick ? 300 : 1000;
    settings.sgd.batch = settings.sgd.dimension;
    settings.sgd.rate = context.tier == Tier::quick ? 0.02 : 0.01;
    settings.sgd.seed = 200 + context.seed;
    settings.until = 4;
    settings.seeds = 10;
    settings.start = start;
    settings.symmetric = true;
    context.poll();
    const SgdComparison result = compare_with_sgd(problem, engine, settings);
    // How far apart the two flows are: what a right flow's distance must be small against.
    FlowOptions options;
    options.until = settings.until;
    const State factor = interpolate(flow(engine(problem, 2), start, options).path, settings.until);
    options.root = Root::symmetric;
    const State symmetric = interpolate(flow(engine(problem, 2), start, options).path, settings.until);
    const double apart =
        (factor.r * factor.r.transpose() - symmetric.r * symmetric.r.transpose()).cwiseAbs().maxCoeff();
    const std::string setting =
        fmt::format("D={}, rate {}, {} seeds, to tau=4", settings.sgd.dimension, settings.sgd.rate, settings.seeds);
    return {
        at_most(Form::printed, "finite-D SGD", "largest distance of R, SGD from the symmetric root's flow, " + setting,
                apart / 4, mean_distance(result.symmetric, &Distance::R), settings.sgd.seed),
        at_most(Form::corrected, "finite-D SGD", "largest distance of R, SGD from the factor's flow, " + setting,
                apart / 4, mean_distance(result.distances, &Distance::R), settings.sgd.seed)};
}

// The largest of the distances that the proposition speaks about, run by run.
Estimate mean_distance(const std::vector<Distance>& distances) {
    Eigen::VectorXd values(static_cast<Eigen::Index>(distances.size()));
    for (std::size_t i = 0; i < distances.size(); ++i) {
        const Distance& d = distances[i];
        values[static_cast<Eigen::Index>(i)] = std::max({d.m, d.R, d.b, d.v});
    }
    return mean_of(values);
}

// The right engine, or one whose flow is `speed` times too fast.
Engine paced(double speed) {
    return [speed](const Problem& problem, int) -> LossFunction {
        return [loss = exact_engine(problem, 1e-7), speed](const State& s) {
            LossEstimate estimate = loss(s);
            estimate.gradient->value = unflatten(speed * flatten(estimate.gradient->value), s.heads(), s.features());
            return estimate;
        };
    };
}

// The two regimes named before Prop. III.2, as functions of D: N_b = Theta(D) with a small rate, and N_b = Theta(1)
// with a rate o(1/D).
enum class Regime { large_batches, constant_batches };

SgdOptions schedule(Regime regime, int dimension) {
    SgdOptions options;
    options.dimension = dimension;
    const double D = dimension;
    options.batch = regime == Regime::large_batches ? dimension : 4;
    options.rate = regime == Regime::large_batches ? 0.02 : 60 / (D * D);
    return options;
}

std::vector<Evidence> follows(Activation activation, Regime regime, const Context& context) {
    const Problem problem{activation, 3, Prior::flipping_spike(3, 2)};
    constexpr double until = 2;
    constexpr int seeds = 10;
    FlowOptions flow_options;
    flow_options.until = until;
    flow_options.tolerance = 1e-5;  // distances are above 1e-3
    struct Distances {
        std::vector<Distance> right, fast;
    };
    const auto runs = [&](int dimension, bool control) {
        Distances distances;
        SgdOptions options = schedule(regime, dimension);
        for (int i = 0; i < seeds; ++i) {
            context.poll();
            options.seed = 300 + 100 * context.seed + static_cast<std::uint64_t>(i);
            const Eigen::MatrixXd spikes = hidden_spikes(2, options);
            SgdRun run{sgd_start(2, 1, options), {}};
            sgd_continue(problem, spikes, options, static_cast<std::uint64_t>(until / options.rate + 0.5), run);
            const auto from = [&](double speed) {
                const FlowResult beside = flow_beside(problem, run.records.front(), paced(speed), flow_options);
                return distance(run.records, options.rate, beside.path);
            };
            distances.right.push_back(from(1));
            if (control) distances.fast.push_back(from(1.2));
        }
        return distances;
    };
    const int small = context.tier == Tier::quick ? 40 : 120, large = 10 * small;
    const Distances at_large = runs(large, true);
    const Estimate before = mean_distance(runs(small, false).right), after = mean_distance(at_large.right),
                   control = mean_distance(at_large.fast);
    const std::string what = fmt::format(
        "largest distance of m, R, b, v between SGD and the flow to tau=2, {}, L=3, H=2, {}, {} seeds",
        name(activation), regime == Regime::large_batches ? "N_b=D, rate 0.02" : "N_b=4, rate 60/D^2", seeds);
    const std::uint64_t seed = 300 + 100 * context.seed;
    return {
        our_reading(at_most(Form::printed, "finite-D SGD",
                            fmt::format("{}: D={} against 3/4 of D={}", what, large, small), 0.75 * before.value,
                            {after.value, std::hypot(after.error, 0.75 * before.error), ErrorKind::standard}, seed)),
        our_reading(at_least(
            Form::printed, "finite-D SGD",
            fmt::format("the same from a flow 20% too fast, D={}: twice the distance from the right one", large),
            2 * after.value, {control.value, std::hypot(control.error, 2 * after.error), ErrorKind::standard}, seed))};
}

}  // namespace

std::vector<Check> prop_iii2() {
    std::vector<Check> checks{{"prop-III.2/root", {"finite-D SGD", "flow"}, root}};
    for (const Activation activation : all_activations)
        checks.push_back({fmt::format("prop-III.2/flow/{}", name(activation)),
                          {"finite-D SGD", "flow"},
                          [activation](const Claim&, const Context& context) {
                              return follows(activation, Regime::large_batches, context);
                          }});
    checks.push_back(
        {"prop-III.2/constant-batches", {"finite-D SGD", "flow"}, [](const Claim&, const Context& context) {
             return follows(Activation::softmax, Regime::constant_batches, context);
         }});
    return checks;
}

}  // namespace lemmata::verify::checks
