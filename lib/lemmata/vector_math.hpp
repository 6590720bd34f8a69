// exp, expm1 and log1p in plain arithmetic, so that the compiler turns loops over them into vector
// instructions (calls to libm it cannot, nor a call it did not inline). Straight-line code, no tables, no branches.
//
// expm1 and exp: x is held within [-708, 708]; error below 2 ulp of the result (expm1: relative,
// also near 0). log1p: -1 < x; error below 3 ulp. Arguments must be finite. Tested against libm.
// Measured on an AVX-512 core: about 0.5 ns for each element of an array in cache.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace lemmata {

// e^x = scale (1 + rest), |rest| < 0.42 and exact near 0: what exp and expm1 have in common.
struct SplitExp {
    double scale, rest;
};
[[gnu::always_inline]] inline SplitExp split_exp(double x) {  // |x| <= 708
    constexpr double shift = 0x1.8p52;  // adding it leaves round(x / ln 2) in the low bits
    const double t = x * 1.4426950408889634 + shift;
    const double n = t - shift;
    const double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    // Taylor to degree 13: |r| <= ln(2)/2 leaves 5e-18.
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    const auto exponent = std::bit_cast<std::uint64_t>(t) << 52U;
    return {std::bit_cast<double>(exponent + std::bit_cast<std::uint64_t>(1.0)), r + r * r * p};
}

[[gnu::always_inline]] inline double vector_exp(double x) {
    const SplitExp e = split_exp(std::min(std::max(x, -708.0), 708.0));
    return e.scale + e.scale * e.rest;
}

[[gnu::always_inline]] inline double vector_expm1(double x) {
    const SplitExp e = split_exp(std::min(std::max(x, -708.0), 708.0));
    return (e.scale - 1) + e.scale * e.rest;
}

[[gnu::always_inline]] inline double vector_log1p(double x) {
    const double f = 1 + x;
    const double lost = x - (f - 1);  // what rounding 1 + x dropped; matters near 0
    const auto bits = std::bit_cast<std::uint64_t>(f);
    // f = 2^k m with m in [sqrt(1/2), sqrt(2)); k is made a double without a conversion instruction.
    const std::uint64_t offset = bits - 0x3fe6a09e667f3bcdULL;  // the bits of sqrt(1/2)
    const std::uint64_t exponent = offset & 0xfff0000000000000ULL;
    const double m = std::bit_cast<double>(bits - exponent);
    const double inverse = std::bit_cast<double>(std::bit_cast<std::uint64_t>(1.0) - exponent);  // 2^-k
    constexpr double shift = 0x1.8p52;
    const auto biased = (exponent >> 52U) + 2048U;  // k mod 4096, made positive
    const double k = std::bit_cast<double>(std::bit_cast<std::uint64_t>(shift) + (biased & 0xfffU)) - shift - 2048;
    const double s = ((m - 1) + lost * inverse) / (m + 1);
    const double s2 = s * s;
    // 2 atanh(s) = 2 s (1 + s^2/3 + ...), s^2 <= 0.0295.
    double p = 1.0 / 23;
    p = p * s2 + 1.0 / 21;
    p = p * s2 + 1.0 / 19;
    p = p * s2 + 1.0 / 17;
    p = p * s2 + 1.0 / 15;
    p = p * s2 + 1.0 / 13;
    p = p * s2 + 1.0 / 11;
    p = p * s2 + 1.0 / 9;
    p = p * s2 + 1.0 / 7;
    p = p * s2 + 1.0 / 5;
    p = p * s2 + 1.0 / 3;
    return k * 6.93147180369123816490e-01 + (2 * s + (2 * s * s2 * p + k * 1.90821492927058770002e-10));
}

}  // namespace lemmata
