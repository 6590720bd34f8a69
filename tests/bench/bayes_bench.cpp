// The Bayes risk of the paper's priors at tolerance 1e-10, for 5 and for a million tokens.
#include <lemmata/bayes_risk.hpp>

#include <benchmark/benchmark.h>

using namespace lemmata;

namespace {

void risk(benchmark::State& bench, const Prior& prior) {
    for (auto _ : bench) benchmark::DoNotOptimize(bayes_risk(prior, bench.range(0)).risk.value);
}

void both_lengths(benchmark::internal::Benchmark* b) {
    b->Arg(5)->Arg(1'000'000)->UseRealTime()->Unit(benchmark::kMillisecond);
}

}  // namespace

BENCHMARK_CAPTURE(risk, flipping_spike, Prior::flipping_spike(2, 2))->Name("bayes/flipping-spike")->Apply(both_lengths);
BENCHMARK_CAPTURE(risk, flipping_uneven, Prior::flipping_spike(8, 2))
    ->Name("bayes/flipping-spike-8-2")
    ->Apply(both_lengths);
BENCHMARK_CAPTURE(risk, gaussian_2, Prior::gaussian(Eigen::Vector2d(8, 2)))
    ->Name("bayes/gaussian-8-2")
    ->Apply(both_lengths);
BENCHMARK_CAPTURE(risk, gaussian_3, Prior::gaussian(linear_variances(3, 20, 1)))
    ->Name("bayes/gaussian-20-to-1")
    ->Apply(both_lengths);
BENCHMARK_CAPTURE(risk, isotropic_4, Prior::gaussian(Eigen::VectorXd::Constant(4, 10)))
    ->Name("bayes/isotropic-4")
    ->Apply(both_lengths);
BENCHMARK_CAPTURE(risk, spikes_4, Prior::spikes(4, 10))->Name("bayes/spikes-4")->Apply(both_lengths);
