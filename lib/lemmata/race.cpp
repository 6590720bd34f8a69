#include <lemmata/gauss_hermite.hpp>
#include <lemmata/lattice.hpp>
#include <lemmata/race.hpp>
#include <lemmata/vector_math.hpp>

#include <algorithm>
#include <cmath>

namespace lemmata {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double half_strip = 1.4;  // of pi/2: near the best for 10 to 13 digits

// log of the price of moving the race function's argument by i a when it is smoothed by `smooth`: up
// to the strip it costs sec(a), squared here for the sake of derivatives; beyond, the smoothing
// Gaussian's contour moves with it, for e^{y^2/2}.
double strip_price(double a, double smooth) {
    const double inside = -2 * std::log(std::cos(std::min(a, half_strip)));
    if (a <= half_strip) return inside;
    const double y = smooth > 0 ? (a - half_strip) / smooth : 1e9;
    return inside + y * y / 2;
}

// The largest spacing allowed by any contour.
double lattice_spacing(double s1, double smooth1, double s2, double smooth2, double accuracy) {
    const double wanted = std::log(2 / accuracy);
    const double widest = std::sqrt(2 * wanted);
    double best = 0;
    const auto consider = [&](double y) {
        const double price = y * y / 2 + strip_price(s1 * y, smooth1) + strip_price(s2 * y, smooth2);
        best = std::max(best, 2 * pi * y / (wanted + price));
    };
    for (int k = 1; k <= 32; ++k) consider(widest * k / 32);
    consider(std::min(0.999 * half_strip / std::max(s1, s2), widest));  // wide and bare: the strip itself
    return best;
}

constexpr int max_race_derivatives = 5;

// Points handled together: accumulators stay in the first-level cache.
constexpr Eigen::Index block = 64;

// y = e^{x + s z} is factors[k] * rates[p]; sums over the rule go to sums[d][p].
template <int derivatives>
void accumulate(const double* rates, Eigen::Index count, const Eigen::ArrayXd& factors, const Eigen::VectorXd& weights,
                double (*sums)[block]) {
    for (int d = 0; d < derivatives; ++d) std::fill_n(sums[d], count, 0.0);
    for (Eigen::Index k = 0; k < factors.size(); ++k) {
        const double factor = factors[k], weight = weights[k];
        for (Eigen::Index p = 0; p < count; ++p) {
            const double y = std::min(factor * rates[p], 708.0);
            const SplitExp e = split_exp(-y);
            sums[0][p] += weight * ((1 - e.scale) - e.scale * e.rest);
            if constexpr (derivatives > 1) {
                const double yg = weight * y * (e.scale + e.scale * e.rest);
                sums[1][p] += yg;
                if constexpr (derivatives > 2) sums[2][p] += yg * (1 - y);
                if constexpr (derivatives > 3) sums[3][p] += yg * (1 + y * (y - 3));
                if constexpr (derivatives > 4) sums[4][p] += yg * (1 + y * (y * (6 - y) - 7));
            }
        }
    }
}

}  // namespace

QuadratureRule smoothing_rule(double s1, double smooth1, double s2, double smooth2, double accuracy, double tail) {
    if (s1 == 0 && s2 == 0) return {Eigen::VectorXd::Zero(1), Eigen::VectorXd::Ones(1)};
    const double spacing = lattice_spacing(s1, smooth1, s2, smooth2, accuracy);
    const double reach = std::sqrt(2 * std::log(1 / tail));
    return gaussian_lattice(spacing, std::max(reach, spacing));
}

QuadratureRule smoothing_rule(double s, double smooth, double accuracy, double tail) {
    return smoothing_rule(s, smooth, 0, 1, accuracy, tail);
}

void smoothed_race(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, double s, const QuadratureRule& rule,
                   int derivatives, Eigen::MatrixXd& values) {
    values.resize(derivatives * points.size(), shifts.size());
    double rates[block], sums[max_race_derivatives][block];
    Eigen::ArrayXd factors(rule.nodes.size());
    for (Eigen::Index column = 0; column < shifts.size(); ++column)
        for (Eigen::Index first = 0; first < points.size(); first += block) {
            const Eigen::Index count = std::min(block, points.size() - first);
            // Exponents are split so that neither factor overflows however wide the law.
            const double centre = points[first + count / 2] + shifts[column];
            for (Eigen::Index p = 0; p < count; ++p) rates[p] = vector_exp(points[first + p] + shifts[column] - centre);
            for (Eigen::Index k = 0; k < factors.size(); ++k) factors[k] = vector_exp(centre + s * rule.nodes[k]);
            switch (derivatives) {
                case 1:
                    accumulate<1>(rates, count, factors, rule.weights, sums);
                    break;
                case 2:
                    accumulate<2>(rates, count, factors, rule.weights, sums);
                    break;
                case 3:
                    accumulate<3>(rates, count, factors, rule.weights, sums);
                    break;
                case 4:
                    accumulate<4>(rates, count, factors, rule.weights, sums);
                    break;
                default:
                    accumulate<5>(rates, count, factors, rule.weights, sums);
                    break;
            }
            for (int d = 0; d < derivatives; ++d)
                std::copy_n(sums[d], count, values.col(column).data() + d * points.size() + first);
        }
}

}  // namespace lemmata
