// A number and its derivative along one direction: forward differentiation of code that is templated on its scalar.
// Internal; used by loss_gauss_hermite.cpp on loss_reference.hpp.
// Why not Boost's autodiff_fvar or Eigen's AutoDiffScalar: the first captures Eigen's operator*, the second does not
// convert to double and has neither expm1 nor log1p.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <compare>

namespace lemmata {

struct Dual {
    double value = 0;
    double slope = 0;

    Dual() = default;
    Dual(double v, double s = 0) : value(v), slope(s) {}  // NOLINT: a number is a Dual
    explicit operator double() const { return value; }

    friend Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.slope + b.slope}; }
    friend Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.slope - b.slope}; }
    friend Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
    friend Dual operator*(const Dual& a, const Dual& b) {
        return {a.value * b.value, a.slope * b.value + a.value * b.slope};
    }
    friend Dual operator/(const Dual& a, const Dual& b) {
        const double ratio = a.value / b.value;
        return {ratio, (a.slope - ratio * b.slope) / b.value};
    }
    Dual& operator+=(const Dual& b) { return *this = *this + b; }
    Dual& operator-=(const Dual& b) { return *this = *this - b; }
    Dual& operator*=(const Dual& b) { return *this = *this * b; }
    Dual& operator/=(const Dual& b) { return *this = *this / b; }

    friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
    friend auto operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }

    friend Dual exp(const Dual& x) {
        const double e = std::exp(x.value);
        return {e, e * x.slope};
    }
    friend Dual expm1(const Dual& x) { return {std::expm1(x.value), std::exp(x.value) * x.slope}; }
    friend Dual log(const Dual& x) { return {std::log(x.value), x.slope / x.value}; }
    friend Dual log1p(const Dual& x) { return {std::log1p(x.value), x.slope / (1 + x.value)}; }
    friend Dual sqrt(const Dual& x) {
        const double root = std::sqrt(x.value);
        return {root, x.slope / (2 * root)};
    }
    friend Dual atan(const Dual& x) { return {std::atan(x.value), x.slope / (1 + x.value * x.value)}; }
};

}  // namespace lemmata

template <>
struct Eigen::NumTraits<lemmata::Dual> : Eigen::NumTraits<double> {
    using Real = lemmata::Dual;
    using NonInteger = lemmata::Dual;
    using Nested = lemmata::Dual;
    using Literal = lemmata::Dual;
    enum { RequireInitialization = 1, ReadCost = 2, AddCost = 2, MulCost = 6 };
};
