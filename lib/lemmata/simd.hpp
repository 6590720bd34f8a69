// Eight doubles at a time, in the compiler's own vector types: one AVX-512 register, two of AVX2,
// four of SSE2, without intrinsics. Internal; used where samples are processed in lanes.
#pragma once

namespace lemmata::simd {

using Vector = double __attribute__((vector_size(64)));
using Bits = long long __attribute__((vector_size(64)));
inline constexpr int width = 8;

// e^x for x <= 0, in place: at most 2 ulp, and e^-708 = 3e-308 for all x below -708; NaN stays NaN.
// x = n log 2 + r with |r| <= log(2)/2; e^r by its Chebyshev interpolant of degree 11 (relative
// error 4e-18 before rounding); n goes into the exponent bits.
// Why not Eigen's exp: this one is 1.5 times as fast, as scores shifted by their maximum need
// neither overflow nor denormal results. (For any argument, and expm1: vector_math.hpp.)
[[gnu::always_inline]] inline void exp_nonpositive(Vector& x) {
    constexpr double shifter = 0x1.8p52;  // adding it rounds to an integer, kept in the low bits
    constexpr double log2_high = 0x1.62e42fefa0000p-1;
    constexpr double log2_low = 0x1.cf79abc9e3b39p-40;
    const Vector bounded = x < -708.0 ? Vector{} - 708.0 : x;
    const Vector shifted = bounded * 0x1.71547652b82fep+0 + shifter;
    const Vector n = shifted - shifter;
    const Vector r = (bounded - n * log2_high) - n * log2_low;
    Vector p = r * 0x1.af632a0f7e2cep-26 + 0x1.28b4101c77212p-22;
    p = p * r + 0x1.71ddf56d8deb5p-19;
    p = p * r + 0x1.a01991a10d9aep-16;
    p = p * r + 0x1.a01a01b1461c5p-13;
    p = p * r + 0x1.6c16c1880029fp-10;
    p = p * r + 0x1.111111110f21ep-7;
    p = p * r + 0x1.555555554f0bap-5;
    p = p * r + 0x1.555555555555ap-3;
    p = p * r + 0x1.0000000000011p-1;
    p = p * r + 1.0;
    p = p * r + 1.0;
    x = reinterpret_cast<Vector>(reinterpret_cast<Bits>(p) + (reinterpret_cast<Bits>(shifted) << 52));
}

[[gnu::always_inline]] inline void raise_to(Vector& x, const Vector& other) {
    x = x > other ? x : other;
}

[[gnu::always_inline]] inline double sum(const Vector& x) {
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

}  // namespace lemmata::simd
