#include "figures/runs.hpp"

#include <lemmata/error.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_monte_carlo.hpp>
#include <lemmata/polish.hpp>
#include <lemmata/verify/checkpoint.hpp>
#include <lemmata/verify/independent_runs.hpp>

#include <memory>
#include <numeric>

namespace lemmata::verify::figures {
namespace {

constexpr double flow_tolerance = 1e-5;

Json parameters(const FigureContext& context, const Problem& problem, int heads) {
    Json json{{"activation", std::string(name(problem.activation))}, {"L", problem.tokens}, {"H", heads}};
    for (const Component& c : problem.prior.components())
        json["prior"].push_back({c.weight, to_json(c.mean), to_json(c.covariance)});
    if (!exact(problem, heads)) json["points"] = context.pick(2048, 8192, 131072);
    return json;
}

Json parameters(const FigureContext& context, const FlowRun& run) {
    Json json = parameters(context, run.problem, run.heads);
    json.update({{"seed", run.seed}, {"until", run.until}, {"noise", run.noise}});
    return json;
}

// Every run's result, in order.
template <typename Run, typename One>
auto in_parallel(const FigureContext& context, const std::vector<Run>& runs, const One& one) {
    std::vector<decltype(one(runs.front()))> results(runs.size());
    std::size_t done = 0;
    run_independently(
        runs.size(),
        [&](std::size_t i) {
            context.poll();
            results[i] = one(runs[i]);
        },
        [&](std::size_t) { context.progress(static_cast<double>(++done) / static_cast<double>(runs.size())); });
    return results;
}

FlowResult flow_of(const FigureContext& context, const FlowRun& run, const LossFunction& loss, double converged) {
    FlowOptions options;
    options.until = run.until;
    options.tolerance = flow_tolerance;
    options.converged = converged;
    options.progress = [&](const FlowProgress&) {
        context.poll();
        return true;
    };
    return flow(loss, random_state(run.heads, run.problem.prior.features(), 1, run.noise, run.seed), options);
}

// A Newton step costs 2 (HF + H^2 + H + 1) gradients, and wide opposite heads make each of them slow: worth it
// for few heads and not for a quick look.
bool polished_at_end(const FigureContext& context, const FlowRun& run) {
    return context.tier != Tier::quick && exact(run.problem, run.heads) && run.heads <= 4;
}

std::vector<double> limit_of(const FigureContext& context, const FlowRun& run) {
    const LossFunction loss = engine(context, run.problem, run.heads);
    const bool newton = polished_at_end(context, run);
    const FlowResult course = flow_of(context, run, loss, newton ? 1e-5 : 1e-6);
    Limit limit{last_state(course.path), {}, course.largest_gradient, false};
    if (newton) {
        try {
            PolishOptions options;
            options.gradient = 1e-8;
            options.max_iterations = 15;
            const Polished polished = polish(
                [&](const State& state) {
                    context.poll();
                    return loss_exact(run.problem, state, {1e-9, true});
                },
                limit.state, options);
            limit = {polished.state, {}, polished.largest_gradient, polished.minimum};
        } catch (const Unfinished&) {
            // Where the loss is flat to rounding the gradient cannot be made smaller: the flow's end stands.
        }
    }
    if (exact(run.problem, run.heads)) {
        limit.loss = loss_exact(run.problem, limit.state, {1e-7, false}).loss;
    } else {
        // Other points than those it was trained on, so that the loss is not flattered; the exact rule for four heads
        // takes minutes.
        MonteCarloOptions options;
        options.samples = context.pick(32768, 131072, 1 << 20);
        options.sampling = Sampling::sobol;
        options.seed = 2;
        limit.loss = loss_monte_carlo(run.problem, limit.state, options).loss;
    }
    const Eigen::VectorXd x = flatten(limit.state);
    std::vector<double> numbers(x.begin(), x.end());
    for (const double extra : {limit.loss.value, limit.loss.error, limit.loss.kind == ErrorKind::bound ? 0.0 : 1.0,
                               limit.largest_gradient, limit.minimum ? 1.0 : 0.0})
        numbers.push_back(extra);
    return numbers;
}

}  // namespace

std::uint64_t first_seed(const FigureContext& context) {
    return 1000 * context.seed;
}

bool exact(const Problem& problem, int heads) {
    return problem.activation != Activation::bayes_softmax || heads < 2;
}

LossFunction engine(const FigureContext& context, const Problem& problem, int heads) {
    if (exact(problem, heads))
        return [problem](const State& state) { return loss_exact(problem, state, {1e-7, true}); };
    const auto points = std::make_shared<Samples>(problem.prior, problem.tokens, heads,
                                                  context.pick(2048, 8192, 131072), Sampling::sobol, 1);
    points->store();
    return [problem, points](const State& state) { return loss_monte_carlo(problem, state, *points, true); };
}

std::vector<Path> flows(const FigureContext& context, const std::vector<FlowRun>& runs) {
    return in_parallel(context, runs, [&](const FlowRun& run) {
        Json what = parameters(context, run);
        what["run"] = "flow";
        return unpack_path(context.store.get(
            what, [&] { return pack(flow_of(context, run, engine(context, run.problem, run.heads), 1e-8).path); }));
    });
}

std::vector<Limit> limits(const FigureContext& context, const std::vector<FlowRun>& runs) {
    return in_parallel(context, runs, [&](const FlowRun& run) {
        Json what = parameters(context, run);
        what["run"] = polished_at_end(context, run) ? "limit" : "limit by flow";
        const auto numbers = context.store.get(what, [&] { return limit_of(context, run); });
        const Eigen::Map<const Eigen::VectorXd> all(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
        const auto extra = all.tail(5);
        return Limit{unflatten(all.head(all.size() - 5), run.heads, run.problem.prior.features()),
                     {extra[0], extra[1], extra[2] == 0 ? ErrorKind::bound : ErrorKind::standard},
                     extra[3],
                     extra[4] == 1};
    });
}

std::vector<Pruning> prunings(const FigureContext& context, const std::vector<FlowRun>& runs) {
    const auto trained = limits(context, runs);
    std::vector<std::size_t> numbers(runs.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return in_parallel(context, numbers, [&](std::size_t i) {
        Json what = parameters(context, runs[i]);
        what["run"] = polished_at_end(context, runs[i]) ? "pruning" : "pruning after flow";
        const auto stored = context.store.get(what, [&] {
            const Problem& problem = runs[i].problem;
            const Pruning pruned = prune_greedily(
                [&](const State& state) {
                    context.poll();
                    if (exact(problem, state.heads())) return loss_exact(problem, state, {1e-6, false}).loss;
                    MonteCarloOptions options;
                    options.samples = context.pick(8192, 32768, 131072);
                    options.sampling = Sampling::sobol;
                    return loss_monte_carlo(problem, state, options).loss;
                },
                trained[i].state);
            std::vector<double> flat(pruned.order.begin(), pruned.order.end());
            for (const Estimate& e : pruned.losses)
                for (const double x : {e.value, margin(e)}) flat.push_back(x);
            return flat;
        });
        const auto heads = static_cast<std::size_t>(runs[i].heads);
        Pruning pruned;
        for (std::size_t k = 0; k < heads; ++k) {
            pruned.order.push_back(static_cast<int>(stored[k]));
            pruned.losses.push_back({stored[heads + 2 * k], stored[heads + 2 * k + 1]});
        }
        return pruned;
    });
}

std::vector<Path> euler_flows(const FigureContext& context, const std::vector<EulerRun>& runs) {
    return in_parallel(context, runs, [&](const EulerRun& run) {
        const Problem& problem = run.flow.problem;
        Json what = parameters(context, run.flow);
        what.update({{"run", "euler"}, {"draw", static_cast<int>(run.draw)}, {"samples", run.samples}});
        return unpack_path(context.store.get(what, [&] {
            LossFunction loss = engine(context, problem, run.flow.heads);
            MonteCarloOptions fresh;
            fresh.samples = run.samples;
            fresh.gradient = true;
            fresh.seed = run.flow.seed << 32U;
            if (run.draw == Draw::fixed) {
                const auto kept = std::make_shared<Samples>(problem.prior, problem.tokens, run.flow.heads, run.samples,
                                                            Sampling::plain, run.flow.seed);
                kept->store();
                loss = [problem, kept](const State& s) { return loss_monte_carlo(problem, s, *kept, true); };
            } else if (run.draw == Draw::fresh) {
                loss = [problem, fresh](const State& s) mutable {
                    ++fresh.seed;
                    return loss_monte_carlo(problem, s, fresh);
                };
            }
            FlowOptions options;
            options.until = run.flow.until;
            options.converged = 0;
            options.euler_step = euler_step;
            options.progress = [&](const FlowProgress&) {
                context.poll();
                return true;
            };
            return pack(flow(loss,
                             random_state(run.flow.heads, problem.prior.features(), 1, run.flow.noise, run.flow.seed),
                             options)
                            .path);
        }));
    });
}

std::vector<SgdWithFlow> sgd_with_flow(const FigureContext& context, const std::vector<SgdSetting>& runs) {
    return in_parallel(context, runs, [&](const SgdSetting& setting) {
        Json what = parameters(context, setting.problem, setting.heads);
        what.update({{"run", "sgd"}, {"D", setting.dimension}, {"seed", setting.seed}, {"until", setting.until}});
        const auto course = context.store.get(what, [&] {
            SgdOptions options;
            options.dimension = setting.dimension;
            options.batch = setting.dimension;
            options.rate = sgd_rate;
            options.seed = setting.seed;
            const Eigen::MatrixXd spikes = hidden_spikes(setting.problem.prior.features(), options);
            SgdRun run{sgd_start(setting.heads, 1, options), {}};
            const auto steps = static_cast<std::uint64_t>(std::llround(setting.until / sgd_rate));
            sgd_continue(setting.problem, spikes, options, steps, run, [&](const SgdRun&) {
                context.poll();
                return true;
            });
            run.state.k.resize(0, 0);  // D x H numbers that nobody reads again
            return pack(run);
        });
        const SgdRun run = unpack_sgd_run(course);
        what["run"] = "flow beside sgd";
        return SgdWithFlow{run, unpack_path(context.store.get(what, [&] {
                               FlowOptions options;
                               options.until = setting.until;
                               options.tolerance = flow_tolerance;
                               options.converged = 0;  // the records need the whole time
                               const Engine beside = [&](const Problem& problem, int heads) {
                                   return engine(context, problem, heads);
                               };
                               return pack(flow_beside(setting.problem, run.records.front(), beside, options).path);
                           }))};
    });
}

}  // namespace lemmata::verify::figures
