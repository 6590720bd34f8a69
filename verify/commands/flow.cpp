// lemmata flow: the gradient flow of a scenario's order parameters.
#include "commands/commands.hpp"
#include "commands/run.hpp"

#include <lemmata/error.hpp>
#include <lemmata/verify/checkpoint.hpp>
#include <lemmata/verify/file.hpp>

#include <fmt/format.h>
#include <iostream>
#include <memory>

namespace lemmata::verify {
namespace {

struct Arguments {
    std::string file;
    double until = 0;  // 0: the scenario's
    EngineArguments engine;
    FlowArguments flow;
    bool polish = false;
    std::string out;
};

State start_of(Scenario scenario, const Session& session) {
    if (scenario.flow && session.seed_given) scenario.flow->seed = session.seed;
    return scenario.start();
}

int run(const Arguments& arguments, const Session& session) {
    const Scenario scenario = read_scenario(arguments.file);
    const Problem problem = scenario.problem();
    const State start = start_of(scenario, session);
    const double until =
        arguments.until > 0 ? arguments.until : (scenario.flow ? scenario.flow->until.value_or(200) : 200);
    FlowOptions options = flow_options(arguments.flow, arguments.engine, until);
    const std::string method = describe(arguments.engine, session.seed);
    const LossFunction loss = make_engine(arguments.engine, session.seed)(problem, start.heads());
    const std::filesystem::path folder = arguments.out;
    const std::string id = identity(problem, {{"start", to_json(start)},
                                              {"tolerance", options.tolerance},
                                              {"step", options.euler_step},
                                              {"root", arguments.flow.root},
                                              {"method", method}});
    std::optional<Path> earlier;
    if (!arguments.out.empty())
        if (const auto numbers = load(folder / "flow.checkpoint", id)) earlier = unpack_path(*numbers);
    if (earlier && earlier->end() > until)
        throw InvalidInput("--until", fmt::format("{}", until),
                           fmt::format("at least {}, where the run in {} is", earlier->end(), arguments.out));

    FlowResult result;
    {
        ProgressLine line(session, "flow");
        options.progress = flow_progress(line, until);
        result = earlier ? flow(loss, std::move(*earlier), options) : flow(loss, start, options);
    }
    if (!arguments.out.empty()) save(folder / "flow.checkpoint", {id, pack(result.path)});
    if (result.stopped == Stop::interrupted) {
        if (!arguments.out.empty() && !session.quiet)
            fmt::print(stderr, "lemmata: at tau = {:.6g}; the same command continues from there\n", result.path.end());
        throw Interrupted();
    }
    const Events events = find_events(result.path, problem.prior.mean());
    std::optional<Polished> polished;
    if (arguments.polish) polished = polish(loss, last_state(result.path));

    Json json{{"schema", 1}};
    json.update(to_json(result, events, method));
    if (polished) json["polished"] = to_json(*polished);
    if (!arguments.out.empty()) {
        const std::vector<Moment> course = moments(result.path, loss);
        write_file(folder / "trajectory.csv", to_csv(course));
        write_file(folder / "flow.json", json.dump(2) + "\n");
        const std::string remark = draw(folder, scenario.title, course, {});
        if (!remark.empty() && !session.quiet) fmt::print(stderr, "lemmata: {}\n", remark);
    }
    if (session.json) {
        std::cout << json.dump(2) << '\n';
        return 0;
    }
    fmt::print("tau     {:.6g} ({}; {} steps, {} evaluations)\nloss    {}\nmethod  {}\n{}{}", result.path.end(),
               json["stopped"].get<std::string>(), result.steps(), result.evaluations,
               to_text(result.path.knots.back().loss), method, to_text(events),
               to_text(last_state(result.path), uses_bias(problem.activation), uses_scale(problem.activation)));
    if (polished)
        fmt::print("limit   {} ({}, smallest curvature {:.3g})\n", to_text(polished->loss),
                   polished->minimum ? "a minimum" : "not a minimum", polished->curvatures[0]);
    return 0;
}

}  // namespace

void add_flow(CLI::App& app, Session& session) {
    auto arguments = std::make_shared<Arguments>();
    auto* command = app.add_subcommand("flow", "The gradient flow from a scenario's start, its events and its end");
    command->add_option("scenario", arguments->file, "Scenario file (TOML)")->required();
    command->add_option("--until", arguments->until, "Effective time to stop at (default: flow.until, or 200)")
        ->check(positive());
    add_engine_options(*command, arguments->engine);
    add_flow_options(*command, arguments->flow);
    command->add_flag("--polish", arguments->polish, "From the end on to the limit by Newton steps; is it a minimum?");
    command->add_option("--out", arguments->out, "Folder for trajectory.csv, flow.json and pictures; resumes");
    session.add_common(*command,
                       "  lemmata flow fig4.toml --until 300 --out runs/fig4\n"
                       "  lemmata flow fig4.toml --method monte-carlo --samples 100000 --step 0.02\n"
                       "  lemmata flow fig4.toml --polish --json | jq .polished");
    command->callback(
        [&session, arguments] { session.action = [&session, arguments] { return run(*arguments, session); }; });
}

}  // namespace lemmata::verify
