#include <lemmata/events.hpp>
#include <lemmata/flow.hpp>

#include <catch2/catch.hpp>
#include <cmath>

#include "lib/toy_losses.hpp"

using namespace lemmata;

namespace {

// A path through given m(tau), with exact slopes: the Hermite error is (1/384) max |m''''| width^4.
template <typename Function, typename Slope>
Path path_of(Function m, Slope slope, double until, int steps) {
    Path path{int(m(0).rows()), int(m(0).cols()), {}, 0};
    for (int i = 0; i <= steps; ++i) {
        Knot knot;
        knot.tau = until * i / steps;
        knot.x = flatten(state_at(m(knot.tau)));
        State rate = state_at(slope(knot.tau));
        rate.v = 0;
        knot.slope = flatten(rate);
        knot.bulge0 = knot.bulge1 = Eigen::VectorXd::Zero(knot.x.size());
        path.knots.push_back(knot);
    }
    return path;
}

}  // namespace

TEST_CASE("specialization times match the known solution") {
    // Two heads leave the saddle to either side: spread 2 m(tau), m^2 = a / (a + (1 - a) e^{-2 tau}), a = m(0)^2.
    const double start = 1e-3, until = 20;
    FlowOptions options;
    options.until = until;
    options.tolerance = 1e-9;
    const FlowResult result = flow(toy::double_well, state_at(Eigen::Vector2d(start, -start)), options);
    const Events events = find_events(result.path, Eigen::VectorXd::Zero(1));
    const auto time_of = [&](double m) {  // inverse of the solution
        const double a = start * start;
        return 0.5 * std::log((1 - a) / a * m * m / (1 - m * m));
    };
    REQUIRE(events.tau_s);
    CHECK(*events.tau_s == Approx(time_of(0.5)).epsilon(1e-6));
    REQUIRE(events.tau_s_start);
    CHECK(*events.tau_s_start == Approx(time_of(0.05)).epsilon(1e-6));
    REQUIRE(events.learning.size() == 1);
    CHECK(*events.learning[0] == Approx(time_of(0.5)).epsilon(1e-6));
    CHECK_FALSE(events.tau_u);  // E theta = 0
    CHECK_FALSE(events.tau_u_start);
    CHECK(events.excursions.empty());
}

TEST_CASE("alignment is judged at the end of the plateau") {
    // Along e = (3/5, 4/5) both heads align to 1 - e^{-tau}; at tau = 10 they start to part across e.
    const Eigen::Vector2d e(0.6, 0.8), across(-0.8, 0.6);
    const auto bend = [](double tau) { return tau < 10 ? 0.0 : std::pow(tau - 10, 4) / 1e3; };
    const auto bend_slope = [](double tau) { return tau < 10 ? 0.0 : 4 * std::pow(tau - 10, 3) / 1e3; };
    const auto m = [&](double tau) {
        Eigen::MatrixXd at(2, 2);
        at.row(0) = (1 - std::exp(-tau)) * e + bend(tau) * across;
        at.row(1) = (1 - std::exp(-tau)) * e - bend(tau) * across;
        return at;
    };
    const auto slope = [&](double tau) {
        Eigen::MatrixXd at(2, 2);
        at.row(0) = std::exp(-tau) * e + bend_slope(tau) * across;
        at.row(1) = std::exp(-tau) * e - bend_slope(tau) * across;
        return at;
    };
    const Events events = find_events(path_of(m, slope, 15, 1500), 2.5 * e);
    CHECK(*events.tau_u_start == Approx(-std::log(0.9)).epsilon(1e-8));
    CHECK(*events.tau_s_start == Approx(10 + std::pow(50, 0.25)).epsilon(1e-8));
    CHECK(*events.tau_u == Approx(-std::log(0.5 + 0.5 * std::exp(-*events.tau_s_start))).epsilon(1e-8));
    CHECK(*events.tau_s == Approx(10 + 5 * std::pow(0.5, 0.25)).epsilon(1e-8));
    CHECK(alignment(state_at(m(1)), e) == Approx(1 - std::exp(-1.0)));
    CHECK(spread(state_at(m(12)), e) == Approx(2 * bend(12)));
}

TEST_CASE("excursions are changes of side and not tremors") {
    // Head 0: cos(tau) on [0, 4], one change of side at pi / 2. Head 1: 0.05 cos(tau), noise.
    const auto m = [](double tau) { return Eigen::MatrixXd(Eigen::Vector2d(std::cos(tau), 0.05 * std::cos(tau))); };
    const auto slope = [](double tau) {
        return Eigen::MatrixXd(Eigen::Vector2d(-std::sin(tau), -0.05 * std::sin(tau)));
    };
    const Events events = find_events(path_of(m, slope, 4, 400), Eigen::VectorXd::Zero(1));
    REQUIRE(events.excursions.size() == 1);
    CHECK(events.excursions[0].head == 0);
    CHECK(events.excursions[0].feature == 0);
    CHECK(events.excursions[0].tau == Approx(std::acos(0.0)).epsilon(1e-8));
}

TEST_CASE("what never happens has no time") {
    const auto m = [](double tau) { return Eigen::MatrixXd(Eigen::Vector2d(0.01 * tau, -0.01 * tau)); };
    const auto slope = [](double) { return Eigen::MatrixXd(Eigen::Vector2d(0.01, -0.01)); };
    const Events events = find_events(path_of(m, slope, 4, 10), Eigen::VectorXd::Ones(1));
    CHECK_FALSE(events.tau_u);
    CHECK_FALSE(events.tau_s);
    CHECK_FALSE(events.tau_s_start);
    CHECK_FALSE(events.learning[0]);
    // One head has nobody to part from.
    CHECK(spread(state_at(Eigen::MatrixXd::Ones(1, 2)), Eigen::Vector2d(0, 1)) == 0);
}
