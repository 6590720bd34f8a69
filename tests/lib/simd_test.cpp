#include <lemmata/simd.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace lemmata;

TEST_CASE("the vector exponential is within two units in the last place") {
    for (double x = -707.9; x <= 709; x += 0.0371) {
        simd::Vector v = simd::Vector{} + x;
        simd::exp(v);
        const double exact = std::exp(x);
        CAPTURE(x, v[3], exact);
        REQUIRE(std::abs(v[3] - exact) <= 2 * std::numeric_limits<double>::epsilon() * exact);
    }
    simd::Vector edge{0.0, -0.0, -708, -709, -1e300, -std::numeric_limits<double>::infinity(), std::nan(""), -1};
    simd::exp(edge);
    CHECK(edge[0] == 1);
    CHECK(edge[1] == 1);
    for (int i = 2; i < 6; ++i) CHECK(edge[i] == Approx(std::exp(-708)).epsilon(1e-14));
    CHECK(std::isnan(edge[6]));
}

TEST_CASE("eight sums at once are the eight sums") {
    simd::Vector x[simd::width];
    for (int i = 0; i < simd::width; ++i)
        for (int j = 0; j < simd::width; ++j) x[i][j] = 100 * i + (i + 1) * j * j;
    simd::Vector all;
    simd::sums(all, x);
    for (int i = 0; i < simd::width; ++i) CHECK(all[i] == simd::sum(x[i]));
}
