// A number with its error. Every numeric result of this library is one.
//
// bound:    the true value lies within `error` of `value` (discretisation and rounding together).
// standard: `error` is one standard deviation of the estimator; 4 of them are exceeded with
//           probability 6e-5.
#pragma once

#include <algorithm>
#include <cmath>

namespace lemmata {

enum class ErrorKind { bound, standard };

struct Estimate {
    double value = 0;
    double error = 0;
    ErrorKind kind = ErrorKind::bound;
};

// How far from `value` the truth may reasonably be: the bound, or four standard errors.
inline double margin(const Estimate& e) {
    return e.kind == ErrorKind::bound ? e.error : 4 * e.error;
}

// Whether two estimates of one number are compatible. The two margins add, as errors of
// different kinds do not combine otherwise; rounding of the comparison itself is allowed for.
inline bool agree(const Estimate& a, const Estimate& b) {
    const double rounding = 4e-16 * std::max(std::abs(a.value), std::abs(b.value));
    return std::abs(a.value - b.value) <= margin(a) + margin(b) + rounding;
}

}  // namespace lemmata
