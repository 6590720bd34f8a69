#include <lemmata/error.hpp>
#include <lemmata/gauss_hermite.hpp>

#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;

namespace {

// Relative error of the rule's moment of even degree d, in units of the last place.
long double moment_error(const QuadratureRule& rule, int degree) {
    long double exact = 1;  // (d - 1)!!
    for (int k = degree - 1; k > 1; k -= 2) exact *= k;
    long double sum = 0;
    for (Eigen::Index i = 0; i < rule.nodes.size(); ++i)
        sum += static_cast<long double>(rule.weights[i]) * std::pow(static_cast<long double>(rule.nodes[i]), degree);
    return std::abs(sum / exact - 1) / 0x1p-52L;
}

}  // namespace

TEST_CASE("Gauss-Hermite rules have exact moments") {
    for (const int n : {1, 2, 3, 4, 5, 8, 16, 31, 32, 64, 100, 127, 128}) {
        const QuadratureRule rule = gauss_hermite(n);
        for (int degree = 0; degree <= 2 * n - 1; degree += 2) {
            CAPTURE(n, degree);
            CHECK(moment_error(rule, degree) < degree + 10);
        }
    }
}

TEST_CASE("Gauss-Hermite rules are symmetric and ascending with positive weights") {
    for (int n = 1; n <= max_gauss_hermite_order; ++n) {
        const QuadratureRule rule = gauss_hermite(n);
        REQUIRE(rule.nodes == -rule.nodes.reverse());
        REQUIRE(rule.weights == rule.weights.reverse());
        REQUIRE(rule.weights.minCoeff() > 0);
        for (Eigen::Index i = 1; i < n; ++i) REQUIRE(rule.nodes[i] > rule.nodes[i - 1]);
    }
}

TEST_CASE("the moment test notices a wrong rule") {
    QuadratureRule rule = gauss_hermite(16);
    CHECK(moment_error(gauss_hermite(16), 32) > 1e3);  // degree 2n is not exact
    rule.nodes[10] *= 1 + 1e-13;
    CHECK(moment_error(rule, 2) > 12);
}

TEST_CASE("Gauss-Hermite orders out of range are refused") {
    CHECK_THROWS_AS(gauss_hermite(0), InvalidInput);
    CHECK_THROWS_AS(gauss_hermite(129), InvalidInput);
}
