#include "commands/engine.hpp"

#include <lemmata/error.hpp>
#include <lemmata/gauss_hermite.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_gauss_hermite.hpp>
#include <lemmata/loss_monte_carlo.hpp>

#include <fmt/format.h>
#include <memory>

namespace lemmata::verify {
namespace {

// `auto` is exact, unless samples are what was asked for.
bool exactly(const EngineArguments& arguments) {
    if (arguments.fresh && arguments.method != "auto" && arguments.method != "monte-carlo")
        throw InvalidInput("--samples-fresh", "given with --method " + arguments.method, "--method monte-carlo");
    return arguments.method == "exact" || (arguments.method == "auto" && !arguments.fresh);
}

LossFunction exact(const Problem& problem) {
    return [problem](const State& state) { return loss_exact(problem, state, {1e-9, true}); };
}

LossFunction gauss_hermite_nodes(const Problem& problem, int nodes) {
    return [=](const State& state) { return loss_gauss_hermite(problem, state, nodes, true); };
}

LossFunction fixed_samples(const Problem& problem, int heads, std::int64_t count, std::uint64_t seed) {
    auto samples = std::make_shared<Samples>(problem.prior, problem.tokens, heads, count, Sampling::plain, seed);
    const double bytes =
        8.0 * static_cast<double>(samples->count() * problem.tokens) * (problem.prior.features() + heads);
    if (bytes < 2e9) samples->store();
    return [problem, samples](const State& state) { return loss_monte_carlo(problem, state, *samples, true); };
}

LossFunction fresh_samples(const Problem& problem, std::int64_t count, std::uint64_t seed) {
    MonteCarloOptions options;
    options.samples = count;
    options.gradient = true;
    options.seed = seed << 32U;
    return [problem, options](const State& state) mutable {
        ++options.seed;
        return loss_monte_carlo(problem, state, options);
    };
}

}  // namespace

void add_engine_options(CLI::App& command, EngineArguments& arguments) {
    command.add_option("--method", arguments.method, "Loss engine: auto, exact, gauss-hermite or monte-carlo")
        ->check(CLI::IsMember({"auto", "exact", "gauss-hermite", "monte-carlo"}))
        ->capture_default_str();
    command.add_option("--nodes", arguments.nodes, "Order of the Gauss-Hermite rules, 2 to 128")
        ->check(CLI::Range(2, max_gauss_hermite_order))
        ->capture_default_str();
    command.add_option("--samples", arguments.samples, "Monte Carlo samples")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
        ->capture_default_str();
    command.add_flag("--samples-fresh,!--samples-fixed", arguments.fresh,
                     "New Monte Carlo samples at every evaluation, in Euler steps; default: fixed ones");
}

std::string describe(const EngineArguments& arguments, std::uint64_t seed) {
    if (exactly(arguments)) return "exact";
    if (arguments.method == "gauss-hermite") return fmt::format("gauss-hermite ({} nodes)", arguments.nodes);
    return fmt::format("monte-carlo ({} {} samples, seed {})", arguments.samples, arguments.fresh ? "fresh" : "fixed",
                       seed);
}

Engine make_engine(const EngineArguments& arguments, std::uint64_t seed) {
    return [=](const Problem& problem, int heads) {
        if (exactly(arguments)) return exact(problem);
        if (arguments.method == "gauss-hermite") return gauss_hermite_nodes(problem, arguments.nodes);
        return arguments.fresh ? fresh_samples(problem, arguments.samples, seed)
                               : fixed_samples(problem, heads, arguments.samples, seed);
    };
}

}  // namespace lemmata::verify
