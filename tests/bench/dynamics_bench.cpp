// The dynamics: a step of SGD in D dimensions, and the whole flow of the paper's Fig. 4.
// Peers in PyTorch: torch_dynamics_peer.py.
#include <lemmata/flow.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/sgd.hpp>

#include <benchmark/benchmark.h>

#include "cases.hpp"

namespace {

using namespace lemmata;

// 500 sequences at D = 10000, L = 10, H = 2: a twentieth of a step at the paper's batch size.
void sgd(benchmark::State& bench) {
    const Problem problem{Activation::softmax, 10, Prior::flipping_spike(2, 2)};
    SgdOptions options;
    options.dimension = 10'000;
    options.batch = 500;
    const Eigen::MatrixXd spikes = hidden_spikes(2, options);
    SgdState state = sgd_start(2, 1, options);
    for (auto _ : bench) benchmark::DoNotOptimize(sgd_step(problem, spikes, options, state));
}
BENCHMARK(sgd)->Name("sgd")->UseRealTime()->Unit(benchmark::kMillisecond);

// H = 8, F = 3, L = 5, prior 20 -> 1, to tau = 300 at relative tolerance 1e-6.
void flow_fig4(benchmark::State& bench) {
    const Problem problem = bench_problem(Activation::softmax);
    const LossFunction loss = [&](const State& state) {
        ExactOptions options;
        options.gradient = true;
        return loss_exact(problem, state, options);
    };
    FlowOptions options;
    options.until = 300;
    for (auto _ : bench) benchmark::DoNotOptimize(flow(loss, random_state(8, 3, 1, 0.01, 1), options));
}
BENCHMARK(flow_fig4)->Name("flow-fig4")->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
