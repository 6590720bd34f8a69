// The exact value and gradient (tolerance 1e-9): by state, by L, by H, by tolerance.
#include "cases.hpp"

#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_monte_carlo.hpp>

#include <benchmark/benchmark.h>

using namespace lemmata;

namespace {

void exact(benchmark::State& bench, const Problem& problem, const State& state, double tolerance = 1e-9) {
    LossEstimate estimate;
    for (auto _ : bench) {
        estimate = loss_exact(problem, state, {tolerance, true});
        benchmark::DoNotOptimize(estimate.loss.value);
    }
    const double largest = flatten(estimate.gradient->value).cwiseAbs().maxCoeff();
    bench.counters["error"] = estimate.loss.error;
    bench.counters["gradient_error"] = flatten(estimate.gradient->error).maxCoeff() / largest;
}

void sampled(benchmark::State& bench, const Problem& problem, const State& state, std::int64_t samples) {
    LossEstimate estimate;
    for (auto _ : bench) {
        estimate = loss_monte_carlo(problem, state, {samples, Sampling::plain, 1, true});
        benchmark::DoNotOptimize(estimate.loss.value);
    }
    bench.counters["error"] = estimate.loss.error;
}

// Half way: overlaps and orthogonal parts of order 1/2, all correlations.
State mid_state() {
    return random_state(8, 3, 0.5, 0.5, 2);
}

// Each head has learnt one direction, with either sign; r has died out.
State trained_state() {
    State state = random_state(8, 3, 0, 1e-3, 3);
    for (int h = 0; h < 8; ++h)
        for (int f = 0; f < 3; ++f)
            state.m(h, f) += (f == h % 3 ? 2.5 : 0.3) * (((h >> f) & 1) != 0 ? 1 : -1) * (1 + 0.1 * h);
    return state;
}

// Four equal heads and their four opposites.
State degenerate_state() {
    State state = random_state(8, 3, 0, 1e-3, 3);
    for (int h = 0; h < 8; ++h) state.m.row(h) = Eigen::RowVector3d(h % 2 == 0 ? -2.5 : 2.5, 0.3, 0.1);
    return state;
}

const Problem flipping{Activation::softmax, 5, Prior::flipping_spike(2, 2)};

template <class Action>
void add(const std::string& name, const Action& action) {
    benchmark::RegisterBenchmark(name.c_str(), action)->UseRealTime()->Unit(benchmark::kMillisecond);
}

const bool registered = [] {
    const Problem problem = bench_problem(Activation::softmax);
    const std::pair<const char*, State> states[] = {{"early", early_state()},
                                                    {"mid", mid_state()},
                                                    {"trained", trained_state()},
                                                    {"degenerate", degenerate_state()}};
    for (const auto& [name, state] : states)
        add(std::string("exact-gradient/") + name,
            [problem, state = state](benchmark::State& bench) { exact(bench, problem, state); });
    add("exact-gradient/flipping-H2",
        [](benchmark::State& bench) { exact(bench, flipping, random_state(2, 2, 0.9, 0.05, 4)); });
    for (const std::int64_t tokens : {2, 5, 1000, 1'000'000, 1'000'000'000})
        add("exact-tokens/" + std::to_string(tokens), [tokens](benchmark::State& bench) {
            exact(bench, bench_problem(Activation::softmax, tokens), early_state());
        });
    for (const int heads : {2, 4, 8, 16, 32})
        add("exact-heads/" + std::to_string(heads),
            [problem, heads](benchmark::State& bench) { exact(bench, problem, early_state(heads)); });
    for (const int digits : {3, 5, 7, 9, 11})
        add("exact-digits/" + std::to_string(digits), [problem, digits](benchmark::State& bench) {
            exact(bench, problem, early_state(), std::pow(10.0, -digits));
        });
    for (const std::int64_t samples : {1'000, 10'000, 100'000, 1'000'000})
        add("monte-carlo-samples/" + std::to_string(samples),
            [problem, samples](benchmark::State& bench) { sampled(bench, problem, early_state(), samples); });
    return true;
}();

}  // namespace
