#include <lemmata/error.hpp>
#include <lemmata/polish.hpp>

#include <catch2/catch.hpp>
#include <cmath>

#include "lib/toy_losses.hpp"

using namespace lemmata;

TEST_CASE("polishing reaches the minimum that is near") {
    const Polished end = polish(toy::double_well, state_at(Eigen::Vector2d(0.8, -1.3)));
    CHECK((end.state.m - Eigen::Vector2d(1, -1)).isZero(1e-9));
    CHECK(end.loss.value == Approx(-0.5).epsilon(1e-14));
    CHECK(end.minimum);
    CHECK(end.iterations < 15);
    // Two wells of curvature 2; r, b and v are flat.
    CHECK(end.curvatures.tail(2).isApproxToConstant(2, 1e-6));
    CHECK(end.curvatures.head(end.curvatures.size() - 2).isZero(1e-9));
}

TEST_CASE("polishing reports a saddle and does not call it a minimum") {
    const Polished end = polish(toy::double_well, state_at(Eigen::Vector2d(0, 1.1)));
    CHECK((end.state.m - Eigen::Vector2d(0, 1)).isZero(1e-9));
    CHECK_FALSE(end.minimum);
    CHECK(end.curvatures[0] == Approx(-1).epsilon(1e-6));
}

TEST_CASE("polishing gives up on a gradient that is not one") {
    CHECK_THROWS_AS(polish(toy::uphill(toy::double_well), state_at(Eigen::Vector2d(0.8, -1.3))), Unfinished);
}

TEST_CASE("the Hessian by differences is that of the loss") {
    State state = state_at(Eigen::Vector2d(0.4, -0.9));
    const Eigen::MatrixXd hessian = difference_hessian(toy::double_well, state, 1e-4);
    CHECK(hessian(0, 0) == Approx(3 * 0.16 - 1).epsilon(1e-7));
    CHECK(hessian(1, 1) == Approx(3 * 0.81 - 1).epsilon(1e-7));
    CHECK(std::abs(hessian(0, 1)) < 1e-10);
}
