// lemmata sgd: SGD in D dimensions, beside the flow from the same initial overlaps.
#include "commands/commands.hpp"
#include "commands/run.hpp"

#include <lemmata/error.hpp>
#include <lemmata/verify/checkpoint.hpp>
#include <lemmata/verify/file.hpp>

#include <fmt/format.h>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>

namespace lemmata::verify {
namespace {

struct Arguments {
    std::string file;
    int dimension = 0;       // 0: the scenario's
    std::int64_t batch = 0;  // 0: the scenario's
    double rate = 0;         // 0: the scenario's
    double until = 0;        // 0: the scenario's
    double seconds = 20;     // between checkpoints
    EngineArguments engine;
    FlowArguments flow;
    std::string out;
};

struct Setting {
    SgdOptions options;
    std::uint64_t total;
    double until;
};

Setting setting_of(const Scenario& scenario, const Arguments& arguments, const Session& session) {
    const SgdSettings file = scenario.sgd.value_or(SgdSettings{});
    SgdOptions options;
    options.dimension = arguments.dimension > 0 ? arguments.dimension : static_cast<int>(file.dimension);
    options.batch = arguments.batch > 0 ? arguments.batch : file.batch.value_or(options.dimension);
    options.rate = arguments.rate > 0 ? arguments.rate : file.rate;
    options.seed = session.seed_given || !scenario.flow ? session.seed : scenario.flow->seed;
    const double until =
        arguments.until > 0 ? arguments.until : (scenario.flow ? scenario.flow->until.value_or(200) : 200);
    const auto total = static_cast<std::uint64_t>(std::llround(until / options.rate));
    return {options, total, options.rate * static_cast<double>(total)};
}

SgdState start_of(const Scenario& scenario, const Eigen::MatrixXd& spikes, const SgdOptions& options) {
    if (scenario.state) return sgd_start_at(*scenario.state, spikes, options);
    if (!scenario.flow || !scenario.flow->heads)
        throw InvalidInput(scenario.source + ": flow.heads", "missing", "[flow] with heads, or a [state]");
    return sgd_start(*scenario.flow->heads, scenario.flow->eta, options);
}

// Runs or resumes; throws Interrupted, leaving a checkpoint if there is a folder.
SgdRun train(const Problem& problem, const Eigen::MatrixXd& spikes, const Setting& setting, SgdRun run,
             const std::string& id, const Arguments& arguments, const Session& session) {
    using Clock = std::chrono::steady_clock;
    const std::filesystem::path file = std::filesystem::path(arguments.out) / "sgd.checkpoint";
    const auto keep = [&](const SgdRun& at) {
        if (!arguments.out.empty()) save(file, {id, pack(at)});
    };
    ProgressLine line(session, "sgd");
    auto saved = Clock::now();
    const auto keep_going = [&](const SgdRun& at) {
        if (std::chrono::duration<double>(Clock::now() - saved).count() > arguments.seconds) {
            keep(at);
            saved = Clock::now();
        }
        try {
            line.show(static_cast<double>(at.state.steps) / static_cast<double>(setting.total),
                      fmt::format("step {}, loss {:.4f}", at.state.steps, at.records.back().loss.value));
        } catch (const Interrupted&) {
            return false;
        }
        return true;
    };
    const bool finished = sgd_continue(problem, spikes, setting.options, setting.total, run, keep_going);
    keep(run);
    if (!finished) {
        if (!arguments.out.empty() && !session.quiet)
            fmt::print(stderr, "lemmata: at step {}; the same command continues from there\n", run.state.steps);
        throw Interrupted();
    }
    return run;
}

int run(const Arguments& arguments, const Session& session) {
    const Scenario scenario = read_scenario(arguments.file);
    const Problem problem = scenario.problem();
    const Setting setting = setting_of(scenario, arguments, session);
    const SgdOptions& options = setting.options;
    if (options.dimension < problem.prior.features())
        throw InvalidInput(arguments.dimension > 0 ? "--dimension" : scenario.source + ": sgd.dimension",
                           fmt::format("{}", options.dimension),
                           fmt::format("at least {}, the number of features", problem.prior.features()));
    const Eigen::MatrixXd spikes = hidden_spikes(problem.prior.features(), options);
    SgdRun course{start_of(scenario, spikes, options), {}};
    const std::string id = identity(problem, {{"dimension", options.dimension},
                                              {"batch", options.batch},
                                              {"rate", options.rate},
                                              {"seed", options.seed},
                                              {"steps", setting.total},
                                              {"start", to_json(overlaps(course.state, spikes).m)}});
    const std::filesystem::path folder = arguments.out;
    if (!arguments.out.empty())
        if (const auto numbers = load(folder / "sgd.checkpoint", id)) course = unpack_sgd_run(*numbers);
    course = train(problem, spikes, setting, std::move(course), id, arguments, session);

    const std::string method = describe(arguments.engine, session.seed);
    const Engine engine = make_engine(arguments.engine, session.seed);
    FlowOptions beside_options = flow_options(arguments.flow, arguments.engine, setting.until);
    beside_options.converged = 0;  // the records need the whole time
    FlowResult beside;
    {
        ProgressLine line(session, "flow");
        beside_options.progress = flow_progress(line, setting.until);
        beside = flow_beside(problem, course.records.front(), engine, beside_options);
    }
    if (beside.stopped == Stop::interrupted) throw Interrupted();
    const Eigen::MatrixXd p = course.records.front().overlaps.p;
    const Problem orthonormal = orthonormal_problem(problem, p);
    const Events events = find_events(beside.path, orthonormal.prior.mean());
    const Distance apart = distance(course.records, options.rate, beside.path);

    const SgdRecord& last = course.records.back();
    State end = order_parameters(last.overlaps, last.b, last.v);
    end.m = last.overlaps.m;
    Json json{{"schema", 1},
              {"dimension", options.dimension},
              {"batch", options.batch},
              {"rate", options.rate},
              {"seed", options.seed},
              {"steps", last.steps},
              {"tau", setting.until},
              {"loss", to_json(last.loss)},
              {"state", to_json(end)},
              {"overlaps", {{"q", to_json(last.overlaps.q)}, {"p", to_json(p)}}},
              {"flow", to_json(beside, events, method)},
              {"distance", {{"m", apart.m}, {"R", apart.R}, {"b", apart.b}, {"v", apart.v}}}};
    if (!arguments.out.empty()) {
        std::vector<Moment> theory = moments(beside.path, engine(orthonormal, end.heads()));
        for (Moment& moment : theory) moment.state.m = overlap_with_spikes(moment.state.m, p);
        const std::vector<Moment> practice = moments(course.records, options.rate);
        write_file(folder / "sgd.csv", to_csv(practice));
        write_file(folder / "trajectory.csv", to_csv(theory));
        write_file(folder / "sgd.json", json.dump(2) + "\n");
        const std::string remark = draw(folder, scenario.title, theory, practice);
        if (!remark.empty() && !session.quiet) fmt::print(stderr, "lemmata: {}\n", remark);
    }
    if (session.json) {
        std::cout << json.dump(2) << '\n';
        return 0;
    }
    fmt::print("D = {}, batch {}, rate {}: {} steps, tau = {:.6g}\nbatch loss  {}\n{}", options.dimension,
               options.batch, options.rate, last.steps, setting.until, to_text(last.loss),
               to_text(end, uses_bias(problem.activation), uses_scale(problem.activation)));
    fmt::print("largest distance from the flow over {} records: m {:.4g}, R {:.4g}\nflow's method  {}\n",
               course.records.size(), apart.m, apart.R, method);
    return 0;
}

}  // namespace

void add_sgd(CLI::App& app, Session& session) {
    auto arguments = std::make_shared<Arguments>();
    auto* command = app.add_subcommand("sgd", "SGD in D dimensions beside the flow from the same initial overlaps");
    command->add_option("scenario", arguments->file, "Scenario file (TOML)")->required();
    command->add_option("--dimension", arguments->dimension, "D (default: sgd.dimension, or 1000)")
        ->check(CLI::Range(1, 100'000'000));
    command->add_option("--batch", arguments->batch, "Sequences per step (default: sgd.batch, or D)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 32));
    command->add_option("--rate", arguments->rate, "Learning rate (default: sgd.rate, or 0.02)")->check(positive());
    command->add_option("--until", arguments->until, "Effective time to stop at (default: flow.until, or 200)")
        ->check(positive());
    command->add_option("--checkpoint-seconds", arguments->seconds, "Time between checkpoints in --out")
        ->check(within(0, 1e9))
        ->capture_default_str();
    add_engine_options(*command, arguments->engine);
    add_flow_options(*command, arguments->flow);
    command->add_option("--out", arguments->out, "Folder for sgd.csv, trajectory.csv, sgd.json and pictures; resumes");
    session.add_common(*command,
                       "  lemmata sgd fig1.toml --dimension 1000 --until 30 --out runs/fig1\n"
                       "  lemmata sgd fig1.toml --seed 2 --json | jq .distance");
    command->callback(
        [&session, arguments] { session.action = [&session, arguments] { return run(*arguments, session); }; });
}

}  // namespace lemmata::verify
