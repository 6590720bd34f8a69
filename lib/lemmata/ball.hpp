// Real numbers as balls [midpoint +- radius] (Arb): every operation returns a ball that contains the exact result
// for all numbers in its arguments, at the working precision of the thread. Not part of the installed interface.
#pragma once

#include <arb.h>
#include <arb_hypgeom.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace lemmata {

// Bits of midpoints in the code below the scope that sets them.
class WorkingPrecision {
public:
    explicit WorkingPrecision(slong bits) : before_(std::exchange(bits_, bits)) {}
    WorkingPrecision(const WorkingPrecision&) = delete;
    WorkingPrecision& operator=(const WorkingPrecision&) = delete;
    ~WorkingPrecision() { bits_ = before_; }
    static slong bits() { return bits_; }
    static slong exact() { return ARF_PREC_EXACT; }  // sums and products of floating-point numbers only

private:
    static inline thread_local slong bits_ = 64;
    slong before_;
};

class Ball {
public:
    Ball() { arb_init(x_); }
    Ball(double value) : Ball() { arb_set_d(x_, value); }  // exactly
    Ball(std::int64_t value) : Ball() { arb_set_si(x_, value); }
    Ball(int value) : Ball(std::int64_t{value}) {}
    Ball(const Ball& other) : Ball() { arb_set(x_, other.x_); }
    Ball(Ball&& other) noexcept : Ball() { arb_swap(x_, other.x_); }
    Ball& operator=(const Ball& other) {
        arb_set(x_, other.x_);
        return *this;
    }
    Ball& operator=(Ball&& other) noexcept {
        arb_swap(x_, other.x_);
        return *this;
    }
    ~Ball() { arb_clear(x_); }

    arb_ptr raw() { return x_; }
    [[nodiscard]] arb_srcptr raw() const { return x_; }

    Ball& operator+=(const Ball& b) {
        arb_add(x_, x_, b.x_, WorkingPrecision::bits());
        return *this;
    }
    Ball& operator-=(const Ball& b) {
        arb_sub(x_, x_, b.x_, WorkingPrecision::bits());
        return *this;
    }
    Ball& operator*=(const Ball& b) {
        arb_mul(x_, x_, b.x_, WorkingPrecision::bits());
        return *this;
    }
    Ball& operator/=(const Ball& b) {
        arb_div(x_, x_, b.x_, WorkingPrecision::bits());
        return *this;
    }
    friend Ball operator+(Ball a, const Ball& b) { return a += b; }
    friend Ball operator-(Ball a, const Ball& b) { return a -= b; }
    friend Ball operator*(Ball a, const Ball& b) { return a *= b; }
    friend Ball operator/(Ball a, const Ball& b) { return a /= b; }
    Ball operator-() const {
        Ball result;
        arb_neg(result.x_, x_);
        return result;
    }

    // Every number in this ball is positive, is exactly zero; and so on.
    [[nodiscard]] bool positive() const { return arb_is_positive(x_) != 0; }
    [[nodiscard]] bool zero() const { return arb_is_zero(x_) != 0; }
    [[nodiscard]] bool finite() const { return arb_is_finite(x_) != 0; }
    [[nodiscard]] bool below(const Ball& other) const { return arb_lt(x_, other.x_) != 0; }

    [[nodiscard]] Ball upper() const {  // the largest number, as a ball without radius
        Ball result;
        arb_get_ubound_arf(arb_midref(result.x_), x_, WorkingPrecision::bits());
        return result;
    }
    [[nodiscard]] Ball lower() const {
        Ball result;
        arb_get_lbound_arf(arb_midref(result.x_), x_, WorkingPrecision::bits());
        return result;
    }
    [[nodiscard]] double upper_double() const {
        const Ball end = upper();
        return arf_get_d(arb_midref(end.x_), ARF_RND_CEIL);
    }
    [[nodiscard]] double lower_double() const {
        const Ball end = lower();
        return arf_get_d(arb_midref(end.x_), ARF_RND_FLOOR);
    }

private:
    arb_t x_;
};

// One argument, one result.
#define LEMMATA_BALL_FUNCTION(name, function)                 \
    inline Ball name(const Ball& x) {                         \
        Ball y;                                               \
        function(y.raw(), x.raw(), WorkingPrecision::bits()); \
        return y;                                             \
    }
LEMMATA_BALL_FUNCTION(exp, arb_exp)
LEMMATA_BALL_FUNCTION(expm1, arb_expm1)
LEMMATA_BALL_FUNCTION(log, arb_log)
LEMMATA_BALL_FUNCTION(log1p, arb_log1p)
LEMMATA_BALL_FUNCTION(sqrt, arb_sqrt)
LEMMATA_BALL_FUNCTION(cos, arb_cos)
LEMMATA_BALL_FUNCTION(erfc, arb_hypgeom_erfc)
#undef LEMMATA_BALL_FUNCTION

inline Ball pi() {
    Ball y;
    arb_const_pi(y.raw(), WorkingPrecision::bits());
    return y;
}
inline Ball hull(const Ball& a, const Ball& b) {
    Ball y;
    arb_union(y.raw(), a.raw(), b.raw(), WorkingPrecision::bits());
    return y;
}
// x with `radius` (its absolute value) added to its own.
inline Ball widened(Ball x, const Ball& radius) {
    arb_add_error(x.raw(), radius.raw());
    return x;
}
// x plus anything between 0 and `most`.
inline Ball raised(const Ball& x, const Ball& most) {
    return hull(x, x + most);
}

}  // namespace lemmata
