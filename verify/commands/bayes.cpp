// lemmata bayes: the Bayes risk of a scenario's prior and number of tokens.
#include "commands/certified.hpp"
#include "commands/commands.hpp"

#include <lemmata/bayes_risk.hpp>
#include <lemmata/bayes_risk_certified.hpp>
#include <lemmata/bayes_risk_monte_carlo.hpp>
#include <lemmata/verify/json.hpp>
#include <lemmata/verify/scenario.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>

namespace lemmata::verify {
namespace {

struct BayesArguments {
    std::string file;
    std::string method = "auto";
    double tolerance = 1e-10;
    std::int64_t samples = RiskOptions{}.samples;
    int dimension = 0;
    int repeat = 0;
    CertifiedArguments certified;
};

int run(const BayesArguments& arguments, const Session& session) {
    const Scenario scenario = read_scenario(arguments.file);
    if (arguments.certified.certified)
        return print_certified("risk", arguments.file, session, [&] {
            return bayes_risk_certified(scenario.prior, scenario.tokens, arguments.certified.digits);
        });
    RiskOptions options;
    options.method = risk_method_from_name(arguments.method);
    options.tolerance = arguments.tolerance;
    options.samples = arguments.samples;
    options.seed = session.seed;

    RiskEstimate result;
    std::vector<double> seconds;
    for (int i = 0; i < std::max(1, arguments.repeat); ++i) {
        const auto start = std::chrono::steady_clock::now();
        result = bayes_risk(scenario.prior, scenario.tokens, options);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(seconds.begin(), seconds.end());
    std::optional<FiniteDimensionRisk> finite;
    if (arguments.dimension > 0)
        finite = bayes_risk_at_dimension(scenario.prior, scenario.tokens, arguments.dimension, arguments.samples,
                                         session.seed);

    if (session.json) {
        Json json{{"schema", 1},
                  {"risk", to_json(result.risk)},
                  {"squared_form", to_json(result.squared)},
                  {"method", result.method}};
        if (finite)
            json["finite_dimension"] = {
                {"dimension", arguments.dimension},  {"loss", to_json(finite->loss)},
                {"excess", to_json(finite->excess)}, {"price_of_print", to_json(finite->price_of_print)},
                {"sequences", arguments.samples},    {"seed", session.seed}};
        if (arguments.repeat > 0) json["seconds"] = {{"min", seconds.front()}, {"median", seconds[seconds.size() / 2]}};
        std::cout << json.dump(2) << '\n';
        return 0;
    }
    fmt::print("risk          {}\nsquared form  {}\nmethod        {}\n", to_text(result.risk), to_text(result.squared),
               result.method);
    if (finite)
        fmt::print(
            "at D = {}\n  loss of the exact estimator  {}\n  minus the limit's           {}\n"
            "  eq. (16) as printed adds    {}\n",
            arguments.dimension, to_text(finite->loss), to_text(finite->excess), to_text(finite->price_of_print));
    if (arguments.repeat > 0)
        fmt::print("seconds       {:.6g} (median {:.6g})\n", seconds.front(), seconds[seconds.size() / 2]);
    return 0;
}

}  // namespace

void add_bayes(CLI::App& app, Session& session) {
    auto arguments = std::make_shared<BayesArguments>();
    auto* command = app.add_subcommand("bayes", "The Bayes risk of a scenario's prior and number of tokens");
    command->add_option("scenario", arguments->file, "Scenario file (TOML); needs [prior] and model.tokens")
        ->required();
    command->add_option("--method", arguments->method, "auto, mellin, radial, lattice, sobol or monte-carlo")
        ->check(CLI::IsMember({"auto", "mellin", "radial", "lattice", "sobol", "monte-carlo"}))
        ->capture_default_str();
    command->add_option("--tolerance", arguments->tolerance, "Absolute error wanted")
        ->check(within(1e-13, 1))
        ->capture_default_str();
    command->add_option("--samples", arguments->samples, "Sobol points, or sequences of a simulation")
        ->check(CLI::Range(std::int64_t{2}, std::int64_t{1'000'000'000}))
        ->capture_default_str();
    command->add_option("--dimension", arguments->dimension, "Also simulate the estimator in D dimensions")
        ->check(CLI::Range(1, 100'000));
    command->add_option("--repeat", arguments->repeat, "Evaluate N times and report seconds per evaluation")
        ->check(CLI::Range(1, 1'000'000));
    add_certified_options(*command, arguments->certified,
                          {"--method", "--tolerance", "--samples", "--dimension", "--repeat"});
    session.add_common(*command,
                       "  lemmata bayes fig5.toml\n"
                       "  lemmata bayes fig5.toml --certified --digits 30\n"
                       "  lemmata bayes fig5.toml --method monte-carlo --samples 1000000\n"
                       "  lemmata bayes fig5.toml --dimension 800 --samples 10000 --json | jq .finite_dimension");
    command->callback(
        [&session, arguments] { session.action = [&session, arguments] { return run(*arguments, session); }; });
}

}  // namespace lemmata::verify
