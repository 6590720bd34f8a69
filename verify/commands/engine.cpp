#include "commands/engine.hpp"

#include <lemmata/error.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_monte_carlo.hpp>

#include <fmt/format.h>
#include <memory>

namespace lemmata::verify {
namespace {

// `auto` is exact, unless samples are what was asked for.
bool exactly(const EngineArguments& arguments) {
    if (arguments.fresh && arguments.method == "exact")
        throw InvalidInput("--samples-fresh", "given with --method exact", "--method monte-carlo");
    return arguments.method == "exact" || (arguments.method == "auto" && !arguments.fresh);
}

LossFunction exact(const Problem& problem) {
    return [problem](const State& state) { return loss_exact(problem, state, {1e-9, true}); };
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
    command.add_option("--method", arguments.method, "Loss engine: auto, exact or monte-carlo")
        ->check(CLI::IsMember({"auto", "exact", "monte-carlo"}))
        ->capture_default_str();
    command.add_option("--samples", arguments.samples, "Monte Carlo samples")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}))
        ->capture_default_str();
    command.add_flag("--samples-fresh,!--samples-fixed", arguments.fresh,
                     "New Monte Carlo samples at every evaluation, in Euler steps; default: fixed ones");
}

std::string describe(const EngineArguments& arguments, std::uint64_t seed) {
    if (exactly(arguments)) return "exact";
    return fmt::format("monte-carlo ({} {} samples, seed {})", arguments.samples, arguments.fresh ? "fresh" : "fixed",
                       seed);
}

Engine make_engine(const EngineArguments& arguments, std::uint64_t seed) {
    return [=](const Problem& problem, int heads) {
        if (exactly(arguments)) return exact(problem);
        return arguments.fresh ? fresh_samples(problem, arguments.samples, seed)
                               : fixed_samples(problem, heads, arguments.samples, seed);
    };
}

}  // namespace lemmata::verify
