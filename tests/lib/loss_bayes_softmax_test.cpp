#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_monte_carlo.hpp>

#include <oneapi/tbb/global_control.h>
#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;

namespace {

// For a discrete prior with atoms of equal weight, k_h = theta^h and b_h = -|theta^h|^2/2 make Bayes-softmax
// the Bayes estimator [2603.03993v1, Prop. IV.2], so its loss is the Bayes risk.
State bayes_point(const Prior& prior) {
    State state = zero_state(static_cast<int>(prior.components().size()), prior.features());
    for (int h = 0; h < state.heads(); ++h) {
        const Eigen::VectorXd& atom = prior.components()[static_cast<std::size_t>(h)].mean;
        state.m.row(h) = atom.transpose();
        state.b[h] = -atom.squaredNorm() / 2;
    }
    return state;
}

}  // namespace

TEST_CASE("Bayes-softmax reaches Bayes risks known from outside") {
    // Two independent quadratures, 12 digits (tests/data/README.md).
    const Prior flipping = Prior::flipping_spike(2, 2), spikes = Prior::spikes(4, 10);
    const double expected[] = {0.342927798614, 0.397226425625, 0.553397713617};
    const std::int64_t tokens[] = {4, 5, 10};
    for (int k = 0; k < 3; ++k) {
        const Estimate loss = loss_exact({Activation::bayes_softmax, tokens[k], flipping}, bayes_point(flipping)).loss;
        CHECK(std::abs(loss.value - expected[k]) < loss.error + 1e-12);
    }
    State wrong = bayes_point(flipping);  // the control
    wrong.b[0] += 0.01;
    CHECK(std::abs(loss_exact({Activation::bayes_softmax, 5, flipping}, wrong).loss.value - expected[1]) > 1e-7);
    CHECK(spikes.discrete());
}

TEST_CASE("the gradient of Bayes-softmax is its derivative") {
    const auto tokens = GENERATE(std::int64_t{2}, std::int64_t{3}, std::int64_t{5}, std::int64_t{1'000'000});
    const Problem problem{Activation::bayes_softmax, tokens, Prior::gaussian(Eigen::Vector2d(3, 1))};
    State state = random_state(2, 2, 0.3, 0.5, 5);
    state.b << 0.5, -1;
    const Gradient gradient = loss_exact(problem, state, {1e-9, true}).gradient->value;
    const Eigen::VectorXd point = flatten(state), expected = flatten(gradient);
    const double step = 1e-2;
    for (Eigen::Index i = 0; i + 1 < point.size(); i += 2) {
        const auto at = [&](double t) {
            Eigen::VectorXd moved = point;
            moved[i] += t;
            return loss_exact(problem, unflatten(moved, 2, 2), {1e-9, false}).loss.value;
        };
        const double difference = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
        CHECK(std::abs(difference - expected[i]) < 5e-8);  // step^4, and 1e-10 / step
    }
}

TEST_CASE("Bayes-softmax with many heads is sampled, and says so") {
    const Problem problem{Activation::bayes_softmax, 5, Prior::gaussian(Eigen::Vector2d(8, 2))};
    const State state = random_state(6, 2, 0.5, 0.5, 3);
    const LossEstimate estimate = loss_exact(problem, state);
    CHECK(estimate.loss.kind == ErrorKind::standard);
    CHECK_THAT(estimate.method, Catch::Matchers::Contains("sobol"));
    CHECK(agree(estimate.loss, loss_monte_carlo(problem, state, {100'000, Sampling::sobol, 4}).loss));
    CHECK_THAT(loss_exact(problem, state_at(state.m)).method, Catch::Matchers::Contains("product rule"));
}

// The points are the same at every tolerance, so that only the outer lattice differs: it must see every point's race,
// which takes a few units of u however far apart the points are.
TEST_CASE("the outer lattice of sampled Bayes-softmax resolves each point") {
    const Problem problem{Activation::bayes_softmax, 5, Prior::gaussian(Eigen::Vector2d(8, 2))};
    for (const double width : {1.0, 10.0, 40.0}) {
        const State state = random_state(6, 2, 0.5 * width, width, 3);
        const Estimate coarse = loss_exact(problem, state, {1e-5, false}).loss;
        const Estimate fine = loss_exact(problem, state, {1e-9, false}).loss;
        CHECK(std::abs(coarse.value - fine.value) < 1e-5);
        CHECK(fine.error > 1e-5);  // the points' own error, far above
        CHECK(agree(fine, loss_monte_carlo(problem, state, {20'000, Sampling::plain, 4}).loss));
    }
}

TEST_CASE("Bayes-softmax gives the same bits on one and two threads") {
    const Problem problem{Activation::bayes_softmax, 5, Prior::gaussian(Eigen::Vector2d(8, 2))};
    const State state = state_at((Eigen::MatrixXd(3, 2) << 1.2, 0.3, -1, 0.2, 0.1, 1.1).finished());
    std::vector<double> results;
    for (const std::size_t threads : {1U, 2U}) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
        results.push_back(loss_exact(problem, state, {1e-9, true}).gradient->value.m(1, 1));
    }
    CHECK(results[0] == results[1]);
}
