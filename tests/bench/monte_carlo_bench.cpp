// The Monte Carlo gradient against the time its exponentials alone need (the roofline), on samples
// drawn beforehand; and the drawing of samples by itself.
#include "cases.hpp"

#include <lemmata/loss_monte_carlo.hpp>
#include <lemmata/simd.hpp>

#include <benchmark/benchmark.h>
#include <oneapi/tbb/parallel_for.h>

using namespace lemmata;

namespace {

constexpr std::int64_t sample_count = 100'000;

Samples drawn(const Problem& problem, const State& state) {
    Samples samples(problem.prior, problem.tokens, state.heads(), sample_count, Sampling::plain, 1);
    samples.store();
    return samples;
}

void gradient(benchmark::State& bench, Activation activation) {
    const Problem problem = bench_problem(activation);
    const State state = early_state();
    const Samples samples = drawn(problem, state);
    for (auto _ : bench) benchmark::DoNotOptimize(loss_monte_carlo(problem, state, samples, true).loss.value);
}

// As many exponentials as that gradient takes: H L per sample, in pieces that stay in the cache.
void exponentials(benchmark::State& bench) {
    constexpr int piece = 8 * 5 * tile_width;
    const Eigen::ArrayXd x = Eigen::ArrayXd::LinSpaced(piece, -5, 0);
    for (auto _ : bench)
        tbb::parallel_for(std::int64_t{0}, (sample_count + tile_width - 1) / tile_width, [&](std::int64_t) {
            Eigen::Array<double, piece, 1> y;
            y = x.exp();
            benchmark::DoNotOptimize(y.data());
            benchmark::ClobberMemory();
        });
}

// The same, of scores that were drawn beforehand and come from memory, as the gradient's samples do.
void exponentials_of_stored_scores(benchmark::State& bench) {
    constexpr int piece = 8 * 5 * tile_width;
    const std::int64_t tiles = (sample_count + tile_width - 1) / tile_width;
    const Eigen::ArrayXd scores = Eigen::ArrayXd::LinSpaced(piece * tiles, -5, 0);
    for (auto _ : bench)
        tbb::parallel_for(std::int64_t{0}, tiles, [&](std::int64_t tile) {
            Eigen::Array<double, piece, 1> y;
            y = scores.segment<piece>(piece * tile).exp();
            benchmark::DoNotOptimize(y.data());
            benchmark::ClobberMemory();
        });
}

// The first, plus the multiply-adds of the two products (scores; gradient in m and r) at the rate
// that registers alone allow: what no code for this gradient can beat.
void exponentials_and_products(benchmark::State& bench) {
    constexpr int piece = 8 * 5 * tile_width;
    constexpr int multiply_adds = 2 * 8 * 11 * 5 * tile_width / simd::width;
    const Eigen::ArrayXd x = Eigen::ArrayXd::LinSpaced(piece, -5, 0);
    for (auto _ : bench)
        tbb::parallel_for(std::int64_t{0}, (sample_count + tile_width - 1) / tile_width, [&](std::int64_t) {
            Eigen::Array<double, piece, 1> y;
            y = x.exp();
            benchmark::DoNotOptimize(y.data());
            benchmark::ClobberMemory();
            simd::Vector sum[16] = {};
            for (auto& s : sum) benchmark::DoNotOptimize(s);  // or sixteen equal sums become one
            const simd::Vector a = simd::Vector{} + y[0], b = simd::Vector{} + y[1];
            for (int i = 0; i < multiply_adds / 16; ++i)
                for (auto& s : sum) s = s * a + b;
            for (auto& s : sum) benchmark::DoNotOptimize(s);
        });
}

void drawing(benchmark::State& bench, Sampling sampling) {
    const Problem problem = bench_problem(Activation::softmax);
    const Samples samples(problem.prior, 5, 8, sample_count, sampling, 1);
    for (auto _ : bench)
        tbb::parallel_for(std::int64_t{0}, samples.tiles(), [&](std::int64_t tile) {
            thread_local Eigen::MatrixXd out;
            samples.draw(tile, out);
            benchmark::DoNotOptimize(out.data());
        });
}

}  // namespace

BENCHMARK_CAPTURE(gradient, softmax, Activation::softmax)
    ->Name("monte-carlo-gradient/softmax")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gradient, softmax_1, Activation::softmax_1)
    ->Name("monte-carlo-gradient/softmax-1")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gradient, bayes, Activation::bayes_softmax)
    ->Name("monte-carlo-gradient/bayes-softmax")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(exponentials)->Name("exp-roofline")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(exponentials_of_stored_scores)->Name("exp-roofline-stored")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(exponentials_and_products)->Name("exp-and-fma-roofline")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(drawing, plain, Sampling::plain)->Name("drawing/plain")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(drawing, sobol, Sampling::sobol)->Name("drawing/sobol")->UseRealTime()->Unit(benchmark::kMillisecond);
