// The dynamics of the model itself: flows on the exact loss, against closed forms and SGD.
#include <lemmata/events.hpp>
#include <lemmata/laws.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_monte_carlo.hpp>
#include <lemmata/polish.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <memory>

#include "lib/tensor_loss.hpp"

using namespace lemmata;

namespace {

LossFunction exact(const Problem& problem) {
    return [problem](const State& state) { return loss_exact(problem, state, {1e-10, true}); };
}

// Heads in two even groups along one feature.
Gradient split(int heads, int features, int feature) {
    Gradient direction = zero_state(heads, features);
    for (int h = 0; h < heads; ++h) direction.m(h, feature) = h % 2 == 0 ? 1 : -1;
    return direction;
}

double largest_difference(const Path& a, const Path& b) {
    double largest = 0;
    for (int i = 0; i <= 40; ++i) {
        const double tau = std::min(a.end(), b.end()) * i / 40;
        largest = std::max(largest, (interpolate(a, tau).m - interpolate(b, tau).m).cwiseAbs().maxCoeff());
    }
    return largest;
}

}  // namespace

TEST_CASE("a feature is escaped to at twice its constant times its variance") {
    // [2603.03993v1, table after eq. (55)]: 2 (c_3 + c_4) Var, for L = 3, H = 2, softmax-1 at e^b = 1 on its line.
    struct Case {
        Activation activation;
        double v;
        double rate;  // per unit of variance
    };
    const auto [activation, v, rate] =
        GENERATE(Case{Activation::softmax, 1, 2 * 2.0 / 18 * (1 - 2.0 / 3)},
                 Case{Activation::softmax_1, 4.0 / 3, 2 * (4.0 / 3) * 2 / (2 * 3 * 4.0) * (1 - 2.0 / 4)},
                 Case{Activation::bayes_softmax, 1, 2 * (2.0 / 18 * (1 - 2.0 / 6) + 2.0 / 3 * 2 / 36)});
    State saddle = state_at(Eigen::Vector2d::Zero());
    saddle.v = v;
    CAPTURE(name(activation));
    const Estimate tensor = escape_rate(toy::tensor_loss(activation, 3, 3, 8), saddle, split(2, 1, 0), 2e-3);
    CHECK(tensor.value == Approx(3 * rate).epsilon(1e-6));
    if (activation == Activation::bayes_softmax) return;
    const Problem problem{activation, 3, Prior::gaussian(Eigen::VectorXd::Constant(1, 3))};
    const Estimate measured = escape_rate(exact(problem), saddle, split(2, 1, 0), 2e-3);
    CHECK(measured.value == Approx(3 * rate).epsilon(1e-6));
}

TEST_CASE("features are learnt in the order of their variances and tau_s grows as predicted") {
    const Problem problem{Activation::softmax, 5, Prior::gaussian(Eigen::Vector2d(8, 2))};
    FlowOptions options;
    options.until = 60;
    options.floor = 1e-5;
    const SpecializationLaw law = specialization_law(exact(problem), state_at(Eigen::Matrix2d::Zero()), split(2, 2, 0),
                                                     Eigen::Vector2d::Zero(), {1e4, 1e5, 1e6}, options);
    const double rate = 2 * 4.0 / 50 * (1 - 2.0 / 5) * 8;
    CHECK(law.slope.slope.value == Approx(1 / (2 * rate)).epsilon(0.02));

    // A start with as much of either feature: the stronger one is there first.
    State start = state_at((Eigen::MatrixXd(3, 2) << 0.01, 0.01, -0.02, 0.01, 0.01, -0.02).finished());
    const Events events = find_events(flow(exact(problem), start, options).path, Eigen::Vector2d::Zero());
    REQUIRE(events.learning[0]);
    REQUIRE(events.learning[1]);
    CHECK(*events.learning[0] < *events.learning[1]);
}

TEST_CASE("tolerances and sample sizes converge to one flow") {
    const auto activation = GENERATE(Activation::softmax, Activation::softmax_1);
    const Problem problem{activation, 4, Prior::flipping_spike(2, 2)};
    const State start = random_state(2, 2, 1, 0.05, 1);
    FlowOptions options;
    options.until = 6;
    const auto run = [&](double tolerance) {
        options.tolerance = tolerance;
        return flow(exact(problem), start, options);
    };
    const FlowResult loose = run(1e-4), middle = run(1e-5), tight = run(1e-6);
    // Errors of steps add, and grow while the heads part (here by less than e).
    CHECK(largest_difference(loose.path, middle.path) < 1e-4 * 3 * static_cast<double>(loose.steps()));
    CHECK(largest_difference(middle.path, tight.path) < 1e-5 * 3 * static_cast<double>(middle.steps()));

    const auto sampled = [&](std::int64_t count) {
        const Samples samples(problem.prior, problem.tokens, 2, count, Sampling::plain, 7);
        const FlowResult result =
            flow([&](const State& state) { return loss_monte_carlo(problem, state, samples, true); }, start, options);
        return largest_difference(result.path, tight.path);
    };
    options.tolerance = 1e-4;
    options.until = 3;
    // One sample path has one error; a thousand times the samples divide it by 30 or so.
    const double few = sampled(300), many = sampled(30'000);
    CHECK(few < 0.5);
    CHECK(many < few / 2);
    CHECK(many < 0.05);
}

TEST_CASE("finite dimensions choose the factor over the symmetric root") {
    const Problem problem{Activation::softmax, 5, Prior::gaussian(Eigen::Vector2d(8, 2))};
    ComparisonSettings settings;
    settings.sgd.dimension = 300;
    settings.sgd.batch = 300;
    settings.sgd.rate = 0.02;
    settings.until = 4;
    settings.seeds = 2;
    settings.symmetric = true;
    settings.start = state_at((Eigen::MatrixXd(2, 2) << 1.5, 0.2, 0.1, 0.6).finished());
    settings.start->r << 1.2, 0.8, 0.8, 0.7;  // does not commute with dE/dR
    const Engine engine = [](const Problem& at, int) { return exact(at); };
    const SgdComparison result = compare_with_sgd(problem, engine, settings);
    for (std::size_t i = 0; i < 2; ++i) {
        // The two flows are 0.08 apart in R; SGD at this size fluctuates by 0.01.
        CHECK(result.distances[i].R < 0.03);
        CHECK(result.symmetric[i].R > 0.05);
    }
}

TEST_CASE("polishing the end of a flow finds a minimum below it") {
    const Problem problem{Activation::softmax, 4, Prior::flipping_spike(2, 2)};
    FlowOptions options;
    options.until = 60;
    options.tolerance = 1e-5;
    const FlowResult result = flow(exact(problem), random_state(2, 2, 0.3, 0.05, 2), options);
    const Polished end = polish(exact(problem), last_state(result.path));
    CHECK(end.minimum);
    CHECK(end.largest_gradient <= 1e-9);
    CHECK(end.loss.value <= result.path.knots.back().loss.value);
    // At the limit nothing is left outside the span of the features, and the heads are mirror images.
    CHECK((end.state.r * end.state.r.transpose()).norm() < 1e-6);
    CHECK(end.state.m(0, 0) == Approx(end.state.m(1, 0)).epsilon(1e-5));
    CHECK(end.state.m(0, 1) == Approx(-end.state.m(1, 1)).epsilon(1e-5));
}
