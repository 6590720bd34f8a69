// lemmata loss: the population loss at a scenario's state.
#include "commands/certified.hpp"
#include "commands/commands.hpp"

#include <lemmata/error.hpp>
#include <lemmata/hessian.hpp>
#include <lemmata/loss_certified.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_gauss_hermite.hpp>
#include <lemmata/loss_monte_carlo.hpp>
#include <lemmata/verify/json.hpp>
#include <lemmata/verify/scenario.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

namespace lemmata::verify {
namespace {

struct LossArguments {
    std::string file;
    std::string method = "auto";
    std::string sampling = "plain";
    std::int64_t samples = 100'000;
    double tolerance = 1e-9;
    int nodes = 32;
    bool gradient = false;
    bool hessian = false;
    int repeat = 0;
    CertifiedArguments certified;
};

const std::map<std::string, Sampling> samplings{
    {"plain", Sampling::plain}, {"antithetic", Sampling::antithetic}, {"sobol", Sampling::sobol}};

std::string indented(const Eigen::MatrixXd& matrix) {
    std::ostringstream out;
    out << matrix.format(Eigen::IOFormat(8, 0, "  ", "\n", "    ", "", "", ""));
    return out.str();
}

// `auto` is exact: it applies to every activation (for Bayes-softmax with many heads it says that it sampled).
LossEstimate evaluate(const LossArguments& arguments, const Problem& problem, const State& state,
                      const MonteCarloOptions& sampling) {
    if (arguments.method == "monte-carlo") return loss_monte_carlo(problem, state, sampling);
    if (arguments.method == "gauss-hermite")
        return loss_gauss_hermite(problem, state, arguments.nodes, arguments.gradient);
    return loss_exact(problem, state, {arguments.tolerance, arguments.gradient});
}

int run(const LossArguments& arguments, const Session& session) {
    const Scenario scenario = read_scenario(arguments.file);
    const Problem problem = scenario.problem();
    const State& state = scenario.given_state();
    if (arguments.certified.certified)
        return print_certified("loss", arguments.file, session,
                               [&] { return loss_certified(problem, state, arguments.certified.digits); });
    const bool sampled = arguments.method == "monte-carlo";
    if (arguments.hessian && arguments.method != "auto" && arguments.method != "exact")
        throw InvalidInput("--hessian", "with " + arguments.method, "exact or auto");
    MonteCarloOptions options;
    options.samples = arguments.samples;
    options.sampling = samplings.at(arguments.sampling);
    options.seed = session.seed;
    options.gradient = arguments.gradient;
    ProgressLine line(session, "sampling");
    options.progress = [&](double fraction) { line.show(fraction); };

    LossEstimate result;
    std::vector<double> seconds;
    for (int i = 0; i < std::max(1, arguments.repeat); ++i) {
        const auto start = std::chrono::steady_clock::now();
        result = evaluate(arguments, problem, state, options);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::optional<HessianEstimate> second;
    if (arguments.hessian) second = hessian(problem, state);
    std::sort(seconds.begin(), seconds.end());

    if (session.json) {
        Json json{{"schema", 1}, {"loss", to_json(result.loss)}, {"method", result.method}};
        if (sampled) {
            json["samples"] =
                Samples(problem.prior, problem.tokens, state.heads(), options.samples, options.sampling, 0).count();
            json["seed"] = session.seed;
        }
        if (result.gradient) {
            json["gradient"] = to_json(result.gradient->value);
            json["gradient_error"] = to_json(result.gradient->error);
        }
        if (second) {
            json["hessian"] = to_json(second->value);
            json["hessian_error"] = to_json(second->error);
        }
        if (arguments.repeat > 0) json["seconds"] = {{"min", seconds.front()}, {"median", seconds[seconds.size() / 2]}};
        std::cout << json.dump(2) << '\n';
        return 0;
    }
    fmt::print("loss    {}\nmethod  {}\n", to_text(result.loss), result.method);
    if (result.gradient) {
        const Gradient& g = result.gradient->value;
        fmt::print("gradient\n  m\n{}\n  r (unconstrained factor)\n{}\n  b\n{}\n  v\n    {:.8g}\n", indented(g.m),
                   indented(g.r), indented(g.b.transpose()), g.v);
        fmt::print("  largest error of an entry: {:.2g}\n", flatten(result.gradient->error).cwiseAbs().maxCoeff());
    }
    if (second)
        fmt::print("hessian (m, r, b, v, each column by column; largest error {:.2g})\n{}\n", second->error.maxCoeff(),
                   indented(second->value));
    if (arguments.repeat > 0)
        fmt::print("seconds {:.6g} (median {:.6g})\n", seconds.front(), seconds[seconds.size() / 2]);
    return 0;
}

}  // namespace

void add_loss(CLI::App& app, Session& session) {
    auto arguments = std::make_shared<LossArguments>();
    auto* command = app.add_subcommand("loss", "The population loss at a scenario's state, with its error");
    command->add_option("scenario", arguments->file, "Scenario file (TOML)")->required();
    command
        ->add_option("--method", arguments->method,
                     "How: auto (exact where it applies), exact, gauss-hermite or monte-carlo")
        ->check(CLI::IsMember({"auto", "exact", "gauss-hermite", "monte-carlo"}))
        ->capture_default_str();
    command->add_option("--tolerance", arguments->tolerance, "Error allowed to the exact loss")
        ->check(within(1e-12, 1e-2))
        ->capture_default_str();
    command->add_option("--nodes", arguments->nodes, "Order of the Gauss-Hermite rules")->capture_default_str();
    command->add_option("--samples", arguments->samples, "Monte Carlo samples, rounded up to whole tiles of 64")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000'000}))
        ->capture_default_str();
    command->add_option("--sampling", arguments->sampling, "plain, antithetic or sobol")
        ->check(CLI::IsMember({"plain", "antithetic", "sobol"}))
        ->capture_default_str();
    command->add_flag("--gradient", arguments->gradient, "Also the gradient in m, r (unconstrained factor), b and v");
    command->add_flag("--hessian", arguments->hessian, "Also the second derivatives, in the order m, r, b, v");
    command->add_option("--repeat", arguments->repeat, "Evaluate N times and report seconds per evaluation")
        ->check(CLI::Range(1, 1'000'000));
    add_certified_options(
        *command, arguments->certified,
        {"--method", "--tolerance", "--nodes", "--samples", "--sampling", "--gradient", "--hessian", "--repeat"});
    session.add_common(*command,
                       "  lemmata loss fig10.toml\n"
                       "  lemmata loss fig10.toml --certified --digits 15\n"
                       "  lemmata loss fig10.toml --method gauss-hermite --nodes 64\n"
                       "  lemmata loss fig10.toml --method monte-carlo --samples 1000000 --sampling sobol\n"
                       "  lemmata loss fig10.toml --gradient --json | jq .gradient.m");
    command->callback(
        [&session, arguments] { session.action = [&session, arguments] { return run(*arguments, session); }; });
}

}  // namespace lemmata::verify
