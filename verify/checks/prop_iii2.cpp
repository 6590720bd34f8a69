// Prop. III.2: which flow of R does SGD follow? Two heads that differ, so that r and dE/dR do not
// commute, trained in D dimensions; the distance of R from either flow, over several seeds.
#include "checks/checks.hpp"

#include <lemmata/laws.hpp>
#include <lemmata/loss_exact.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata::verify::checks {
namespace {

Estimate mean_distance(const std::vector<Distance>& distances, double Distance::*part) {
    Eigen::VectorXd values(static_cast<Eigen::Index>(distances.size()));
    for (std::size_t i = 0; i < distances.size(); ++i) values[static_cast<Eigen::Index>(i)] = distances[i].*part;
    return mean_of(values);
}

// Whether a distance has vanished, relative to `scale`, the distance between the two flows.
Evidence vanishes(Form form, const std::string& quantity, const Estimate& distance, double scale, std::uint64_t seed) {
    Evidence e;
    e.form = form;
    e.method = "finite-D SGD";
    e.quantity = quantity;
    e.expected = fmt::format("< {:.3g}", scale / 4);
    e.measured = distance.value;
    e.error = e.tolerance = margin(distance);
    if (distance.value + margin(distance) < scale / 4) e.outcome = Outcome::holds;
    if (distance.value - margin(distance) > scale / 4) e.outcome = Outcome::violated;
    e.seed = seed;
    return e;
}

std::vector<Evidence> run(const Claim&, const Context& context) {
    const Problem problem{Activation::softmax, 5, Prior::gaussian(Eigen::Vector2d(8, 2))};
    State start = state_at((Eigen::MatrixXd(2, 2) << 1.5, 0.2, 0.1, 0.6).finished());
    start.r << 1.2, 0.8, 0.8, 0.7;
    const Engine engine = [](const Problem& p, int) {
        return [p](const State& s) { return loss_exact(p, s, {1e-9, true}); };
    };
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
    return {vanishes(Form::printed, "largest distance of R, SGD from the symmetric root's flow, " + setting,
                     mean_distance(result.symmetric, &Distance::R), apart, settings.sgd.seed),
            vanishes(Form::corrected, "largest distance of R, SGD from the factor's flow, " + setting,
                     mean_distance(result.distances, &Distance::R), apart, settings.sgd.seed)};
}

}  // namespace

std::vector<Check> prop_iii2() {
    return {{"prop-III.2/root", {"finite-D SGD", "flow"}, run}};
}

}  // namespace lemmata::verify::checks
