#include <lemmata/simd.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace lemmata;

TEST_CASE("the vector exponential is within two units in the last place") {
    for (double x = -707.9; x <= 0; x += 0.0371) {
        simd::Vector v = simd::Vector{} + x;
        simd::exp_nonpositive(v);
        const double exact = std::exp(x);
        CAPTURE(x, v[3], exact);
        REQUIRE(std::abs(v[3] - exact) <= 2 * std::numeric_limits<double>::epsilon() * exact);
    }
    simd::Vector edge{0.0, -0.0, -708, -709, -1e300, -std::numeric_limits<double>::infinity(), std::nan(""), -1};
    simd::exp_nonpositive(edge);
    CHECK(edge[0] == 1);
    CHECK(edge[1] == 1);
    for (int i = 2; i < 6; ++i) CHECK(edge[i] == Approx(std::exp(-708)).epsilon(1e-14));
    CHECK(std::isnan(edge[6]));
}
