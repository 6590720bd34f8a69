#include <lemmata/error.hpp>
#include <lemmata/laws.hpp>

#include <catch2/catch.hpp>
#include <cmath>

#include "lib/toy_losses.hpp"

using namespace lemmata;

namespace {

Gradient along_m(const Eigen::MatrixXd& m) {
    Gradient direction = zero_state(static_cast<int>(m.rows()), static_cast<int>(m.cols()));
    direction.m = m;
    return direction;
}

}  // namespace

TEST_CASE("escape rates of a known saddle are measured") {
    // m' = m - m^3: rate 1, changed by 0.02 m^2 at amplitude m (0.01 to 0.1).
    const State saddle = state_at(Eigen::Vector2d::Zero());
    const Estimate rate = escape_rate(toy::double_well, saddle, along_m(Eigen::Vector2d(1, -1)), 1e-2);
    CHECK(rate.value == Approx(1).margin(rate.error));
    CHECK(rate.error < 1e-3);
    CHECK(curvature(toy::double_well, saddle, along_m(Eigen::Vector2d(1, 1))) == Approx(-1).epsilon(1e-7));
    // From a minimum nothing leaves.
    CHECK_THROWS_AS(
        escape_rate(toy::double_well, state_at(Eigen::Vector2d(1, 1)), along_m(Eigen::Vector2d(1, -1)), 1e-3, 20),
        Unfinished);
    CHECK_THROWS_AS(curvature(toy::double_well, saddle, along_m(Eigen::Vector2d::Zero())), InvalidInput);
}

TEST_CASE("specialization times grow with half the logarithm over the rate") {
    FlowOptions options;
    options.until = 40;
    options.tolerance = 1e-8;
    options.floor = 1e-6;
    const SpecializationLaw law =
        specialization_law(toy::double_well, state_at(Eigen::Vector2d::Zero()), along_m(Eigen::Vector2d(1, -1)),
                           Eigen::VectorXd::Zero(1), {1e3, 1e4, 1e5, 1e6}, options);
    CHECK(law.slope.slope.value == Approx(0.5).epsilon(1e-3));
    // Exactly: tau_s = log(D - 1) / 2 + log(1 / 3) / 2 for this loss.
    CHECK(law.times[0] == Approx(0.5 * std::log(999.0 / 3)).epsilon(1e-6));
    options.until = 2;
    CHECK_THROWS_AS(
        specialization_law(toy::double_well, state_at(Eigen::Vector2d::Zero()), along_m(Eigen::Vector2d(1, -1)),
                           Eigen::VectorXd::Zero(1), {1e3, 1e4, 1e5}, options),
        Unfinished);
}
