// Eight doubles at a time, in the compiler's own vector types: one AVX-512 register, two of AVX2,
// four of SSE2, without intrinsics. Internal; used where samples are processed in lanes.
#pragma once

// Vectors wider than the processor's registers have an ABI of their own; these functions are always inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace lemmata::simd {

using Vector = double __attribute__((vector_size(64)));
using Bits = long long __attribute__((vector_size(64)));
inline constexpr int width = 8;

// The entries `index` (0 .. 15) of a table in two registers. Clang has no shuffle by variable indices.
[[gnu::always_inline]] inline void look_up(Vector& found, const Vector& lower, const Vector& upper, const Bits& index) {
#ifdef __clang__
    for (int k = 0; k < width; ++k) found[k] = index[k] < width ? lower[index[k]] : upper[index[k] - width];
#else
    found = __builtin_shuffle(lower, upper, index);
#endif
}

// e^x for x <= 709, in place: at most 2 ulp, and e^-708 = 3e-308 for all x below -708; NaN stays NaN.
// x = (k + j/16) log 2 + r with |r| <= log(2)/32: 2^(j/16) from a table that fits two registers, e^r by a polynomial
// (Chebyshev interpolant of (e^r - 1 - r)/r^2, error 3e-17), k into the exponent bits.
// Why not Eigen's exp: this one is twice as fast, as bounded scores need neither overflow nor
// denormal results. (For any argument, and expm1: vector_math.hpp.)
[[gnu::always_inline]] inline void exp(Vector& x) {
    constexpr double shifter = 0x1.8p52;                // adding it rounds to an integer, kept in the low bits
    constexpr double step_high = 0x1.62e42fef00000p-5;  // log(2)/16
    constexpr double step_low = 0x1.473de6af278edp-38;
    constexpr Vector lower{0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
                           0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0};
    constexpr Vector upper{0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
                           0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0};
    const Vector bounded = x < -708.0 ? Vector{} - 708.0 : x;
    const Vector shifted = bounded * 0x1.71547652b82fep+4 + shifter;
    const Vector n = shifted - shifter;
    const Vector r = (bounded - n * step_high) - n * step_low;
    Vector p = r * 0x1.6c17bb51f236dp-10 + 0x1.11120af701debp-7;
    p = p * r + 0x1.55555555194d2p-5;
    p = p * r + 0x1.55555554dd44dp-3;
    p = p * r + 0x1.0000000000000p-1;
    p = p * (r * r) + r;
    const Bits number = reinterpret_cast<Bits>(shifted);
    Vector power;
    look_up(power, lower, upper, number & 15);
    x = reinterpret_cast<Vector>(reinterpret_cast<Bits>(power * p + power) + ((number >> 4) << 52));
}

// Keeps x in a register: GCC reads it from memory again at every use otherwise, and loads become the bottleneck.
[[gnu::always_inline]] inline void hold([[maybe_unused]] Vector& x) {
#ifdef __AVX512F__
    asm("" : "+v"(x));
#endif
}

[[gnu::always_inline]] inline void raise_to(Vector& x, const Vector& other) {
    x = x > other ? x : other;
}

[[gnu::always_inline]] inline double sum(const Vector& x) {
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

// The sums of eight vectors, as one vector: a tree of shuffles, a quarter of the work of eight times sum().
[[gnu::always_inline]] inline void sums(Vector& all, const Vector* x) {
    const auto add2 = [](const Vector& a, const Vector& b) {
        return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    };
    const auto add4 = [](const Vector& a, const Vector& b) {
        return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
               __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    };
    const auto add8 = [](const Vector& a, const Vector& b) {
        return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
               __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
    };
    all = add8(add4(add2(x[0], x[1]), add2(x[2], x[3])), add4(add2(x[4], x[5]), add2(x[6], x[7])));
}

}  // namespace lemmata::simd

#pragma GCC diagnostic pop
