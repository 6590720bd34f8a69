#include <lemmata/error.hpp>
#include <lemmata/mellin_law.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

namespace lemmata {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double digits = 40;         // discretisation below e^-40 of the integrand's largest value
constexpr double negligible = 1e-19;  // terms below this, relative to the largest one, are dropped
constexpr int most_nodes = 200000;

// Gamma(z) / |its value at Re z| would overflow nowhere, but Gamma itself may: logarithms.
// Stirling's series after shifting to Re z >= 10; relative error of Gamma below 1e-14 for |z| < 1e3.
Complex log_gamma(Complex z) {
    Complex shift = 1;
    while (z.real() < 10) {
        shift *= z;
        z += 1;
    }
    const Complex inverse = 1.0 / z;
    const Complex square = inverse * inverse;
    const Complex series =
        inverse *
        (1.0 / 12 +
         square * (-1.0 / 360 +
                   square * (1.0 / 1260 +
                             square * (-1.0 / 1680 +
                                       square * (1.0 / 1188 + square * (-691.0 / 360360 + square * (1.0 / 156)))))));
    return (z - 0.5) * std::log(z) - z + 0.5 * std::log(2 * pi) + series - std::log(shift);
}

// The moments E W^{-p} of one component.
struct Moments {
    const Eigen::ArrayXd& variances;
    const Eigen::ArrayXd& squares;

    template <typename Number>
    [[nodiscard]] Number log_at(Number p) const {
        Number total = 0;
        for (Eigen::Index f = 0; f < variances.size(); ++f) {
            const double v = variances[f];
            const double scaled = squares[f] / (1 + v);
            const Number dilation = 1.0 + p * (v / (1 + v));
            if (v > 0) total += 0.5 * (p * std::log1p(v) - std::log(dilation));
            total += 0.5 * scaled * p * (1.0 + p / ((1 + v) * dilation));
        }
        return total;
    }
    [[nodiscard]] double derivative(double p) const {
        double total = 0;
        for (Eigen::Index f = 0; f < variances.size(); ++f) {
            const double v = variances[f];
            const double a = v / (1 + v);
            const double dilation = 1 + p * a;
            total += 0.5 * (std::log1p(v) - a / dilation + squares[f] / (1 + v)) +
                     squares[f] / ((1 + v) * (1 + v)) * p * (1 + p * a / 2) / (dilation * dilation);
        }
        return total;
    }
    [[nodiscard]] double curvature(double p) const {
        double total = 0;
        for (Eigen::Index f = 0; f < variances.size(); ++f) {
            const double v = variances[f];
            const double a = v / (1 + v);
            const double dilation = 1 + p * a;
            total +=
                0.5 * a * a / (dilation * dilation) + squares[f] / ((1 + v) * (1 + v) * dilation * dilation * dilation);
        }
        return total;
    }
    // Left of this the moments are infinite, or Gamma(p + 1) has a pole not accounted for.
    [[nodiscard]] double left_limit() const {
        const double largest = variances.size() ? variances.maxCoeff() : 0.0;
        return std::max(-2.0, -(1 + 1 / largest));
    }
};

// log of the integrand's modulus on the real axis, without e^{-pu}.
double log_modulus(const Moments& moments, double p) {
    return std::lgamma(p + 1) + moments.log_at(p);
}

double saddle(const Moments& moments, double u) {
    double low = std::log(1e-4), high = std::log(1e-3);  // of p + 1
    const auto slope = [&](double log_distance) {
        const double distance = std::exp(log_distance);
        return boost::math::digamma(distance) - u + moments.derivative(distance - 1);
    };
    while (slope(high) < 0) high += 2;
    for (int i = 0; i < 24 && high - low > 1e-3; ++i) {
        const double middle = (low + high) / 2;
        (slope(middle) < 0 ? low : high) = middle;
    }
    return std::exp((low + high) / 2) - 1;
}

double place_line(const Moments& moments, double u) {
    const double best = saddle(moments, u);
    const auto height = [&](double p) { return log_modulus(moments, p) - p * u; };
    double c = best;
    // Left of -0.8 the pole at -1 is near and nodes are many. Go there only where staying away costs
    // digits: for atoms of large norm, whose integrand is narrow.
    if (c < -0.8)
        c = height(-0.8) - height(c) < 8 ? -0.8
                                         : std::max(c, -1 + std::min(0.2, 0.3 / std::sqrt(moments.curvature(-0.8))));
    // The pole at 0 is accounted for, but a line through it would divide by zero.
    const double away = 0.3 / std::sqrt(moments.curvature(c) + boost::math::trigamma(c + 1));
    if (std::abs(c) < away) c = c < 0 ? -away : away;
    return c;
}

// The integrand on one vertical line: nodes and values relative to the one on the real axis.
class Line {
public:
    Line(const Moments& moments, double c, double u) : c_(c), log_scale_(log_modulus(moments, c)) {
        width_ = 1 / std::sqrt(moments.curvature(c) + boost::math::trigamma(c + 1));
        choose_step(moments, u);
        const double measure = step_ / (2 * pi);
        values_.emplace_back(measure);
        for (int k = 1; std::abs(values_.back()) > negligible * measure; ++k) {
            if (k > most_nodes)
                throw Unfinished(fmt::format("likelihood-ratio law: more than {} nodes at c = {}", most_nodes, c));
            const Complex p(c, k * step_);
            values_.push_back(2 * measure * std::exp(log_gamma(p + 1.0) + moments.log_at(p) - log_scale_));
        }
    }

    [[nodiscard]] bool serves(double c) const { return std::abs(c - c_) < 0.3 * width_ && c * c_ > 0 && c >= -0.8; }

    struct Values {
        double log_survival, first, second, relative_error, log_error;
    };
    [[nodiscard]] Values at(double u) const {
        double first = 0, second = 0, survival = 0, modulus = 0;
        const Complex turn = std::polar(1.0, -step_ * u);
        Complex phase = 1;
        for (std::size_t k = 0; k < values_.size(); ++k) {
            if (k % 32 == 0) phase = std::polar(1.0, -step_ * u * static_cast<double>(k));
            const Complex p(c_, step_ * static_cast<double>(k));
            const double real = values_[k].real() * phase.real() - values_[k].imag() * phase.imag();
            const double imaginary = values_[k].real() * phase.imag() + values_[k].imag() * phase.real();
            first += real;
            second += (c_ + 1) * real - p.imag() * imaginary;
            survival += (c_ * real + p.imag() * imaginary) / std::norm(p);
            modulus += std::abs(values_[k]) * (16 + std::abs(p.imag() * u));
            phase = {phase.real() * turn.real() - phase.imag() * turn.imag(),
                     phase.real() * turn.imag() + phase.imag() * turn.real()};
        }
        const double scale = std::exp(log_scale_ - c_ * u);
        const double at_minus_one = std::exp(u) * pole(-1);
        first = scale * first - at_minus_one;
        second *= scale;
        survival = scale * survival + at_minus_one;
        survival -= pole(0);
        const double log_survival =
            c_ > 0 ? std::log(std::clamp(survival, 1e-300, 1.0)) : std::log1p(std::clamp(survival, epsilon - 1, 0.0));
        const double absolute = epsilon * (scale * modulus + at_minus_one);
        // Where A has drowned in rounding, rounding is an upper bound for it.
        first = std::max(first, absolute);
        return {log_survival, first, std::max(second, 0.0), first > 0 ? absolute / first : 1,
                absolute / std::abs(c_) * std::exp(-log_survival)};
    }

private:
    // The largest spacing whose bound, optimised over the strip's half-width a, is below e^-digits.
    void choose_step(const Moments& moments, double u) {
        const double reach = c_ - moments.left_limit();
        const auto try_strip = [&](double a) {
            if (const double step = step_for(moments, a, u); step > step_) {
                step_ = step;
                strip_ = a;
            }
        };
        for (int i = 1; i <= 60 && 0.2 * i * width_ < 0.98 * reach; ++i) try_strip(0.2 * i * width_);
        for (const double fraction : {0.5, 0.8, 0.95}) try_strip(fraction * reach);
    }
    // What a simple pole of residue 1 at p, if inside the strip, adds to the trapezoid sum. Outside
    // the strip it adds less than the bound; correcting for it there would introduce the error.
    [[nodiscard]] double pole(double p) const {
        const double distance = std::abs(c_ - p);
        return distance < strip_ ? (p < c_ ? 1 : -1) / std::expm1(2 * pi * distance / step_) : 0;
    }
    [[nodiscard]] double step_for(const Moments& moments, double a, double u) const {
        const auto excess = [&](double p) {
            const double near = std::min({1.0, std::abs(p), std::abs(p + 1)});
            return log_modulus(moments, p) - log_scale_ - (p - c_) * u - std::log(near);
        };
        return 2 * pi * a / (digits + std::max({0.0, excess(c_ - a), excess(c_ + a)}));
    }

    double c_, log_scale_, width_ = 0, step_ = 0, strip_ = 0;
    std::vector<Complex> values_;
};

}  // namespace

MellinLaw::MellinLaw(const Component& component) : log_weight_(std::log(component.weight)) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(component.covariance);
    variances_ = solver.eigenvalues().cwiseMax(0).array();
    squares_ = (solver.eigenvectors().transpose() * component.mean).array().square();
    // Within the null space of the covariance only the length of the mean counts.
    const double floor = 1e-14 * (1 + variances_.maxCoeff());
    double atom = 0;
    for (Eigen::Index f = 0; f < variances_.size(); ++f)
        if (variances_[f] <= floor) {
            atom += squares_[f];
            variances_[f] = squares_[f] = 0;
        }
    if (atom > 0) squares_[0] = atom;
}

double MellinLaw::log_moment(double order) const {
    return Moments{variances_, squares_}.log_at(-order);
}

bool MellinLaw::same_as(const MellinLaw& other) const {
    const auto close = [](const Eigen::ArrayXd& a, const Eigen::ArrayXd& b) {
        return a.size() == b.size() && ((a - b).abs() <= 4 * epsilon * (1 + a.abs())).all();
    };
    return std::abs(log_weight_ - other.log_weight_) <= 4 * epsilon && close(variances_, other.variances_) &&
           close(squares_, other.squares_);
}

RaceTransform MellinLaw::transform(const RaceGrid& lattice) const {
    const Moments moments{variances_, squares_};
    RaceTransform result(lattice.count);
    const bool constant = (variances_ == 0).all() && (squares_ == 0).all();
    std::vector<Line> line;  // the current one, if any
    for (int j = 0; j < lattice.count; ++j) {
        const double u = lattice.at(j) + log_weight_;
        Line::Values values{};
        if (constant) {
            const double s = std::exp(u);
            values = {-s, s * std::exp(-s), s * s * std::exp(-s), 4 * epsilon * (1 + s), 4 * epsilon * s};
        } else {
            const double c = place_line(moments, u);
            if (line.empty() || !line.back().serves(c)) line.assign(1, Line(moments, c, u));
            values = line.back().at(u);
        }
        result.log_survival[j] = values.log_survival;
        result.first[j] = values.first;
        result.second[j] = values.second;
        result.relative_error[j] = values.relative_error;
        result.log_error[j] = values.log_error;
    }
    return result;
}

}  // namespace lemmata
