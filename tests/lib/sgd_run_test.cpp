#include <lemmata/loss_monte_carlo.hpp>
#include <lemmata/sgd_run.hpp>

#include <catch2/catch.hpp>
#include <algorithm>
#include <memory>

using namespace lemmata;

namespace {

const Problem problem{Activation::softmax, 4, Prior::flipping_spike(2, 2)};

SgdOptions small_run() {
    SgdOptions options;
    options.dimension = 200;
    options.batch = 200;
    return options;
}

}  // namespace

TEST_CASE("records are kept at logarithmic steps") {
    const auto steps = recording_steps(1000, 10);
    CHECK(steps.front() == 0);
    CHECK(steps.back() == 1000);
    CHECK(std::is_sorted(steps.begin(), steps.end()));
    CHECK(steps.size() == 12);
    CHECK(recording_steps(0) == std::vector<std::uint64_t>{0});
    CHECK(recording_steps(3) == std::vector<std::uint64_t>{0, 1, 2, 3});
}

TEST_CASE("an interrupted SGD run continues to the same records") {
    const SgdOptions options = small_run();
    const Eigen::MatrixXd spikes = hidden_spikes(2, options);
    SgdRun whole{sgd_start(2, 1, options), {}};
    CHECK(sgd_continue(problem, spikes, options, 20, whole));
    SgdRun parts{sgd_start(2, 1, options), {}};
    CHECK_FALSE(
        sgd_continue(problem, spikes, options, 20, parts, [](const SgdRun& run) { return run.state.steps < 7; }));
    CHECK(parts.state.steps == 7);
    CHECK(sgd_continue(problem, spikes, options, 20, parts));
    CHECK(whole.state.k == parts.state.k);
    REQUIRE(whole.records.size() == parts.records.size());
    CHECK(whole.records.size() == 21);  // few steps: all of them are recorded
    for (std::size_t i = 0; i < whole.records.size(); ++i) {
        CHECK(whole.records[i].steps == parts.records[i].steps);
        CHECK(whole.records[i].overlaps.m == parts.records[i].overlaps.m);
        CHECK(whole.records[i].loss.value == parts.records[i].loss.value);
    }
    // Asking again changes nothing.
    const SgdRun before = parts;
    CHECK(sgd_continue(problem, spikes, options, 20, parts));
    CHECK(parts.records.size() == before.records.size());
    CHECK(parts.state.k == before.state.k);
}

TEST_CASE("SGD follows the flow from its own overlaps") {
    SgdOptions options = small_run();
    options.dimension = 1000;
    options.batch = 1000;
    const Eigen::MatrixXd spikes = hidden_spikes(2, options);
    SgdRun run{sgd_start(2, 1, options), {}};
    sgd_continue(problem, spikes, options, 100, run);
    const Engine engine = [](const Problem& at, int heads) -> LossFunction {
        auto samples = std::make_shared<Samples>(at.prior, at.tokens, heads, 20'000, Sampling::antithetic, 1);
        samples->store();
        return [at, samples](const State& state) { return loss_monte_carlo(at, state, *samples, true); };
    };
    FlowOptions flow_options;
    flow_options.until = 2;
    flow_options.tolerance = 1e-5;
    const FlowResult beside = flow_beside(problem, run.records.front(), engine, flow_options);
    const Distance apart = distance(run.records, options.rate, beside.path);
    CHECK(run.records.back().overlaps.m.col(0).minCoeff() > 0.4);  // it has moved a long way …
    CHECK(apart.m <
          0.03);  // … with the flow: SGD's noise is sqrt(rate tau / batch) = 0.006 an entry, its bias rate = 0.02
    CHECK(apart.R < 0.06);  // and R gains about rate tau D / batch = 0.04 from noise
    CHECK(apart.b < 1e-14);
    CHECK(apart.v < 1e-14);
    // Time running half as fast would be seen.
    CHECK(distance(run.records, options.rate / 2, beside.path).m > 0.1);
}
