#include <lemmata/error.hpp>
#include <lemmata/flow.hpp>
#include <lemmata/loss_monte_carlo.hpp>

#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>
#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>

#include "lib/toy_losses.hpp"

using namespace lemmata;
using Catch::Matchers::Contains;

namespace {

// Solution of m' = m - m^3.
double escaped(double start, double tau) {
    return start / std::sqrt(start * start + (1 - start * start) * std::exp(-2 * tau));
}

FlowOptions options_with(double until, double tolerance) {
    FlowOptions options;
    options.until = until;
    options.tolerance = tolerance;
    return options;
}

State two_heads(double first, double second) {
    return state_at(Eigen::Vector2d(first, second));
}

}  // namespace

TEST_CASE("the flow follows a known solution between steps too") {
    const auto tolerance = GENERATE(1e-4, 1e-6, 1e-8);
    const FlowResult result = flow(toy::double_well, two_heads(1e-3, -2e-3), options_with(12, tolerance));
    CHECK(result.stopped == Stop::until);
    CHECK(result.path.end() == 12);
    double worst = 0;
    for (double tau = 0; tau <= 12; tau += 0.0137) {
        const State state = interpolate(result.path, tau);
        worst = std::max(
            {worst, std::abs(state.m(0, 0) - escaped(1e-3, tau)), std::abs(state.m(1, 0) - escaped(-2e-3, tau))});
    }
    CAPTURE(result.steps());
    // Every step adds an error below tolerance, relative; while the saddle is left they grow with the solution.
    CHECK(worst < tolerance * static_cast<double>(result.steps()));
    CHECK(result.evaluations == 6 * (result.steps() + result.rejected) + 1);
}

TEST_CASE("a tighter tolerance moves the flow by less than the looser one promises") {
    const State start = two_heads(1e-3, -2e-3);
    const FlowResult loose = flow(toy::double_well, start, options_with(8, 1e-5));
    const FlowResult tight = flow(toy::double_well, start, options_with(8, 1e-6));
    const double moved = (last_state(loose.path).m - last_state(tight.path).m).cwiseAbs().maxCoeff();
    CHECK(moved < 1e-5 * static_cast<double>(loose.steps()));
    CHECK(tight.steps() > loose.steps());
}

TEST_CASE("Euler steps converge at first order") {
    FlowOptions options = options_with(3, 1e-6);
    const auto error = [&](double step) {
        options.euler_step = step;
        return std::abs(last_state(flow(toy::double_well, two_heads(0.1, -0.1), options).path).m(0, 0) -
                        escaped(0.1, 3));
    };
    const double coarse = error(0.02), fine = error(0.01);
    CHECK(coarse > 1e-4);
    CHECK(coarse / fine == Approx(2).epsilon(0.05));  // next order: a relative 0.02
}

TEST_CASE("the two roots obey their own equations") {
    // E = trace(G r r^T), G fixed: the factor has R(tau) = e^{-2 G tau} R(0) e^{-2 G tau}.
    Eigen::Matrix2d g;
    g << 0.8, 0.3, 0.3, 0.2;
    State start = two_heads(0, 0);
    start.r << 1.0, 0.2, 0.2, 0.4;
    const auto r_at_end = [&](const State& from, Root root) -> Eigen::Matrix2d {
        FlowOptions options = options_with(1, 1e-9);
        options.root = root;
        const Eigen::Matrix2d r = last_state(flow(toy::linear_in_R(g), from, options).path).r;
        return r * r.transpose();
    };
    const Eigen::Matrix2d big_r = start.r * start.r.transpose();
    const Eigen::Matrix2d decay = (-2 * g).exp();
    CHECK((r_at_end(start, Root::factor) - decay * big_r * decay).isZero(1e-7));

    // R' = -(G R + R G) - 2 r G r by small steps of the midpoint rule on R itself.
    const auto root_of = [](const Eigen::Matrix2d& x) -> Eigen::Matrix2d {
        return Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>(x).operatorSqrt();
    };
    const auto rate = [&](const Eigen::Matrix2d& x) -> Eigen::Matrix2d {
        const Eigen::Matrix2d root = root_of(x);
        return -(g * x + x * g) - 2 * root * g * root;
    };
    Eigen::Matrix2d expected = big_r;
    const double step = 1e-3;
    for (int i = 0; i < 1000; ++i) expected += step * rate(expected + step / 2 * rate(expected));
    CHECK((r_at_end(start, Root::symmetric) - expected).isZero(1e-6));
    CHECK((r_at_end(start, Root::symmetric) - r_at_end(start, Root::factor)).norm() > 1e-3);

    // The same R from another factor: the factor flow does not see the difference.
    State turned = start;
    turned.r = start.r * Eigen::Rotation2Dd(0.7).toRotationMatrix();
    CHECK((r_at_end(turned, Root::factor) - r_at_end(start, Root::factor)).isZero(1e-7));
    CHECK((r_at_end(turned, Root::symmetric) - r_at_end(start, Root::symmetric)).isZero(1e-7));

    // Where r and G commute the two are one flow.
    State commuting = start;
    commuting.r = root_of(g);
    CHECK((r_at_end(commuting, Root::symmetric) - r_at_end(commuting, Root::factor)).isZero(1e-7));
}

TEST_CASE("the flow stops when the gradient vanishes") {
    FlowOptions options = options_with(1000, 1e-8);
    options.converged = 1e-6;
    const FlowResult result = flow(toy::double_well, two_heads(0.5, -0.5), options);
    CHECK(result.stopped == Stop::converged);
    CHECK(result.largest_gradient <= 1e-6);
    CHECK(result.path.end() < 20);
    CHECK(std::abs(last_state(result.path).m(0, 0) - 1) < 1e-6);
}

TEST_CASE("an interrupted flow continues to the same bits") {
    const State start = two_heads(1e-3, -2e-3);
    FlowOptions options = options_with(8, 1e-7);
    const FlowResult whole = flow(toy::double_well, start, options);
    int seen = 0;
    options.progress = [&](const FlowProgress& at) {
        CHECK(at.loss <= 0);
        return ++seen < 7;
    };
    FlowResult part = flow(toy::double_well, start, options);
    CHECK(part.stopped == Stop::interrupted);
    CHECK(part.steps() == 6);
    options.progress = {};
    const FlowResult rest = flow(toy::double_well, part.path, options);
    REQUIRE(rest.path.knots.size() == whole.path.knots.size());
    for (std::size_t i = 0; i < whole.path.knots.size(); ++i) {
        CHECK(rest.path.knots[i].tau == whole.path.knots[i].tau);
        CHECK(rest.path.knots[i].x == whole.path.knots[i].x);
    }
}

TEST_CASE("a flow that cannot go on says why") {
    const State start = two_heads(0.5, -0.5);
    CHECK_THROWS_WITH(flow(toy::uphill(toy::double_well), start, options_with(5, 1e-6)), Contains("the loss rose"));
    FlowOptions few = options_with(100, 1e-9);
    few.max_steps = 10;
    CHECK_THROWS_WITH(flow(toy::double_well, start, few), Contains("10 steps did not reach tau = 100"));
    const LossFunction broken = [](const State& state) {
        LossEstimate at = toy::double_well(state);
        if (state.m(0, 0) > 0.7) at.gradient->value.m(0, 0) = std::nan("");
        return at;
    };
    CHECK_THROWS_WITH(flow(broken, start, options_with(5, 1e-6)), Contains("not finite"));
    const LossFunction blind = [](const State& state) { return LossEstimate{toy::double_well(state).loss, {}, "toy"}; };
    CHECK_THROWS_AS(flow(blind, start, options_with(5, 1e-6)), InvalidInput);
    CHECK_THROWS_WITH(flow(toy::double_well, start, options_with(-1, 1e-6)), Contains("flow.until: -1"));
    CHECK_THROWS_WITH(flow(toy::double_well, start, options_with(1, 0)), Contains("flow.tolerance: 0"));
    const FlowResult fine = flow(toy::double_well, start, options_with(1, 1e-6));
    CHECK_THROWS_AS(interpolate(fine.path, 1.5), InvalidInput);
}

TEST_CASE("grids are logarithmic and end with the path") {
    const FlowResult result = flow(toy::double_well, two_heads(0.5, -0.5), options_with(10, 1e-6));
    const std::vector<double> grid = logarithmic_grid(result.path, 0.1, 5);
    REQUIRE(grid.size() == 6);
    CHECK(grid.front() == 0);
    CHECK(grid[2] / grid[1] == Approx(std::pow(100, 0.25)));
    CHECK(grid.back() == 10);
    CHECK(logarithmic_grid(result.path, 20, 5) == std::vector<double>{0, 10});
}

TEST_CASE("the flow runs on fixed and on fresh samples") {
    const Problem problem{Activation::softmax, 4, Prior::flipping_spike(2, 2)};
    const State start = random_state(2, 2, 1, 0.01, 3);
    const auto sampled = [&](std::uint64_t seed) {
        return [&problem, seed](const State& state) {
            MonteCarloOptions options;
            options.samples = 2000;
            options.gradient = true;
            options.seed = seed;
            return loss_monte_carlo(problem, state, options);
        };
    };
    FlowOptions options = options_with(2, 1e-5);
    const Eigen::MatrixXd fixed = last_state(flow(sampled(1), start, options).path).m;
    const Eigen::MatrixXd other = last_state(flow(sampled(2), start, options).path).m;
    // Both heads have left for the constant direction, and the two sample sets agree to their noise.
    CHECK(fixed.col(0).minCoeff() > 0.2);
    CHECK((fixed - other).norm() < 0.1);
    CHECK((fixed - other).norm() > 1e-6);
    std::uint64_t fresh_seed = 100;
    const LossFunction fresh = [&](const State& state) { return sampled(fresh_seed++)(state); };
    options.euler_step = 0.05;
    const Eigen::MatrixXd fresh_end = last_state(flow(fresh, start, options).path).m;
    CHECK((fresh_end - fixed).norm() < 0.1);
    CHECK(fresh_seed == 100 + 41);
}
