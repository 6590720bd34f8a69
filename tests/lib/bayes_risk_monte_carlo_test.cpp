#include <lemmata/bayes_risk_monte_carlo.hpp>
#include <lemmata/error.hpp>

#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;

// Seeds are fixed; each comparison of means fails by chance with probability 6e-5 (four standard
// errors).
TEST_CASE("the estimator at finite D approaches the limit like one over D") {
    const Prior prior = Prior::gaussian(Eigen::Vector2d(8, 2));
    const double limit = bayes_risk(prior, 5).risk.value;
    const struct {
        int dimension;
        std::int64_t sequences;
    } runs[] = {{200, 20000}, {800, 8000}, {3200, 3000}};
    double last_constant = 0, last_error = 0;
    for (const auto& [dimension, sequences] : runs) {
        const FiniteDimensionRisk r = bayes_risk_at_dimension(prior, 5, dimension, sequences, 1);
        CHECK(agree(r.limit, {limit, 0}));
        CHECK(agree(r.loss, {limit + r.excess.value, 4 * r.excess.error}));
        const double constant = dimension * r.excess.value;
        const double error = dimension * r.excess.error;
        INFO("D " << dimension << ": excess * D = " << constant << " +- " << error);
        if (last_error > 0) CHECK(std::abs(constant - last_constant) <= 4 * std::hypot(error, last_error));
        // The exact estimator is the best one: eq. (16) as printed is never better, and at D = 200 measurably worse.
        CHECK(r.price_of_print.value > -4 * r.price_of_print.error);
        if (dimension == 200) {
            CHECK(constant > 4 * error);
            CHECK(r.price_of_print.value > 4 * r.price_of_print.error);
        }
        last_constant = constant;
        last_error = error;
    }
}

TEST_CASE("the excess at finite D of one spike is what a random norm predicts") {
    // |k*|^2 = p has variance 2/D and only nu p matters: E risk(nu p) = risk + nu^2 risk''(nu) / D + ….
    const double nu = 4;
    const auto risk = [](double strength) { return bayes_risk(Prior::spike(strength), 5).risk.value; };
    const double h = 0.05;
    const double curvature = (risk(nu + h) - 2 * risk(nu) + risk(nu - h)) / (h * h);
    const int dimension = 100;
    const FiniteDimensionRisk r = bayes_risk_at_dimension(Prior::spike(nu), 5, dimension, 40000, 3);
    CHECK(agree(r.missed, {risk(nu) + nu * nu * curvature / dimension, 1e-4}));  // next order: about 1/D^2
}

TEST_CASE("simulated Bayes risks are a function of their seed") {
    const FiniteDimensionRisk a = bayes_risk_at_dimension(Prior::spike(2), 3, 20, 500, 9);
    const FiniteDimensionRisk b = bayes_risk_at_dimension(Prior::spike(2), 3, 20, 500, 9);
    CHECK(a.loss.value == b.loss.value);
    CHECK(bayes_risk_at_dimension(Prior::spike(2), 3, 20, 500, 10).loss.value != a.loss.value);
    CHECK_THROWS_AS(bayes_risk_at_dimension(Prior::spikes(4, 1), 3, 3, 100, 1), InvalidInput);
}
