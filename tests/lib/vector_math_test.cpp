#include <lemmata/vector_math.hpp>

#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;

// Relative error in units of 2^-52.
static double ulps(double computed, double expected) {
    return std::abs(computed / expected - 1) * 0x1p52;
}

TEST_CASE("vector functions agree with libm over their ranges") {
    double worst_exp = 0, worst_expm1 = 0, worst_log1p = 0;
    for (double x = -708; x <= 708; x += 0.0317) worst_exp = std::max(worst_exp, ulps(vector_exp(x), std::exp(x)));
    for (double size = 1e-18; size < 700; size *= 1.013)
        for (const double x : {size, -size}) {
            worst_expm1 = std::max(worst_expm1, ulps(vector_expm1(x), std::expm1(x)));
            if (x > -1) worst_log1p = std::max(worst_log1p, ulps(vector_log1p(x), std::log1p(x)));
        }
    for (double x = -1 + 0x1p-53; x < -0.01; x += 0.000317)
        worst_log1p = std::max(worst_log1p, ulps(vector_log1p(x), std::log1p(x)));
    CHECK(worst_exp <= 2);
    CHECK(worst_expm1 <= 2);
    CHECK(worst_log1p <= 3);
}

TEST_CASE("vector functions hold their arguments within range") {
    CHECK(vector_exp(0) == 1);
    CHECK(vector_expm1(0) == 0);
    CHECK(vector_log1p(0) == 0);
    CHECK(vector_exp(-1e300) < 1e-300);
    CHECK(std::isfinite(vector_exp(1e300)));
}
