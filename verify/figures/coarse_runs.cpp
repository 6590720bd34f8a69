#include "figures/coarse_runs.hpp"

#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_monte_carlo.hpp>
#include <lemmata/verify/checkpoint.hpp>
#include <lemmata/verify/independent_runs.hpp>

#include <memory>

namespace lemmata::verify::figures {
namespace {

constexpr double flow_tolerance = 1e-4;
constexpr double loss_tolerance = 1e-6;

// As many as the runs themselves have (runs.hpp).
int sobol_points(const FigureContext& context) {
    return context.pick(2048, 8192, 131072);
}

LossFunction coarse_engine(const FigureContext& context, const Problem& problem, int heads) {
    if (exact(problem, heads))
        return [problem](const State& state) { return loss_exact(problem, state, {loss_tolerance, true}); };
    const auto points =
        std::make_shared<Samples>(problem.prior, problem.tokens, heads, sobol_points(context), Sampling::sobol, 3);
    points->store();
    return [problem, points](const State& state) { return loss_monte_carlo(problem, state, *points, true); };
}

Json identity(const FigureContext& context, const char* what, const Problem& problem, int heads, std::uint64_t seed,
              double until) {
    Json json{{"run", what},         {"activation", std::string(name(problem.activation))},
              {"L", problem.tokens}, {"H", heads},
              {"seed", seed},        {"until", until}};
    for (const Component& c : problem.prior.components())
        json["prior"].push_back({c.weight, to_json(c.mean), to_json(c.covariance)});
    if (!exact(problem, heads)) json["points"] = sobol_points(context);
    return json;
}

FlowOptions options_for(const FigureContext& context, double until, double converged) {
    FlowOptions options;
    options.until = until;
    options.tolerance = flow_tolerance;
    options.converged = converged;
    options.progress = [&context](const FlowProgress&) {
        context.poll();
        return true;
    };
    return options;
}

std::vector<Path> ends(const FigureContext& context, const std::vector<FlowRun>& runs, const char* what,
                       double part_of_time, double converged) {
    std::vector<Path> paths(runs.size());
    std::size_t done = 0;
    run_independently(
        runs.size(),
        [&](std::size_t i) {
            const FlowRun& run = runs[i];
            const double until = part_of_time * run.until;
            Json key = identity(context, what, run.problem, run.heads, run.seed, until);
            key["noise"] = run.noise;
            paths[i] = unpack_path(context.store.get(key, [&] {
                context.poll();
                return pack(flow(coarse_engine(context, run.problem, run.heads),
                                 random_state(run.heads, run.problem.prior.features(), 1, run.noise, run.seed),
                                 options_for(context, until, converged))
                                .path);
            }));
        },
        [&](std::size_t) { context.progress(static_cast<double>(++done) / static_cast<double>(runs.size())); });
    return paths;
}

}  // namespace

std::vector<Path> coarse_flows(const FigureContext& context, const std::vector<FlowRun>& runs) {
    return ends(context, runs, "coarse flow", 1, 1e-7);
}

std::vector<Limit> coarse_limits(const FigureContext& context, const std::vector<FlowRun>& runs) {
    const auto paths = ends(context, runs, "coarse limit", 0.5, 1e-5);
    std::vector<Limit> limits;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const Knot& last = paths[i].knots.back();
        limits.push_back({last_state(paths[i]), last.loss, last.slope.cwiseAbs().maxCoeff(), false});
        // On points that it was not trained on, as for the limits themselves.
        if (!exact(runs[i].problem, runs[i].heads)) {
            MonteCarloOptions options;
            options.samples = context.pick(32768, 131072, 1 << 20);
            options.sampling = Sampling::sobol;
            options.seed = 2;
            limits.back().loss = loss_monte_carlo(runs[i].problem, limits.back().state, options).loss;
        }
    }
    return limits;
}

Path coarse_beside(const FigureContext& context, const SgdSetting& setting, const SgdRecord& start) {
    Json key = identity(context, "coarse flow beside sgd", setting.problem, setting.heads, setting.seed, setting.until);
    key["D"] = setting.dimension;
    return unpack_path(context.store.get(key, [&] {
        const Engine engine = [&](const Problem& problem, int heads) { return coarse_engine(context, problem, heads); };
        return pack(flow_beside(setting.problem, start, engine, options_for(context, setting.until, 0)).path);
    }));
}

}  // namespace lemmata::verify::figures
