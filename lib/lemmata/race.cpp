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
double lattice_spacing(double s1, double smooth1, double s2, double smooth2, double accuracy, double frequency = 0) {
    const double wanted = std::log(2 / accuracy);
    const double widest = std::sqrt(2 * wanted);
    double best = 0;
    const auto consider = [&](double y) {
        const double price = y * y / 2 + y * frequency + strip_price(s1 * y, smooth1) + strip_price(s2 * y, smooth2);
        best = std::max(best, 2 * pi * y / (wanted + price));
    };
    for (int k = 1; k <= 32; ++k) consider(widest * k / 32);
    const double score = std::max(s1, s2);
    if (score > 0) consider(std::min(0.999 * half_strip / score, widest));  // wide and bare: the strip itself
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

double smoothing_spacing(double s, double accuracy, double frequency) {
    return lattice_spacing(s, 0, 0, 1, accuracy, frequency);
}

namespace {

// Points (ascending) beyond which lost_s is 1, or below `tail`, to all intents: they are not computed. With wide
// laws these are most points.
struct Window {
    Eigen::Index first, last;
};
Window fill_saturated(const Eigen::ArrayXd& points, double shift, double s, double tail, int derivatives,
                      double* column) {
    const Eigen::Index n = points.size();
    const double reach = s * std::sqrt(2 * std::log(1 / tail));
    const double low = std::log(tail) - 7 - reach - shift, high = 4.5 + reach - shift;
    const auto begin = points.begin(), end = points.end();
    const Window window{std::lower_bound(begin, end, low) - begin, std::upper_bound(begin, end, high) - begin};
    for (int d = 0; d < derivatives; ++d) {
        std::fill(column + d * n, column + d * n + window.first, 0.0);
        std::fill(column + d * n + window.last, column + (d + 1) * n, d == 0 ? 1.0 : 0.0);
    }
    return window;
}

// One exponential for each point and node.
void smoothed_directly(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, double s, const QuadratureRule& rule,
                       double tail, int derivatives, Eigen::MatrixXd& values) {
    double rates[block], sums[max_race_derivatives][block];
    Eigen::ArrayXd factors(rule.nodes.size());
    for (Eigen::Index column = 0; column < shifts.size(); ++column) {
        const Window window = fill_saturated(points, shifts[column], s, tail, derivatives, values.col(column).data());
        for (Eigen::Index first = window.first; first < window.last; first += block) {
            const Eigen::Index count = std::min(block, window.last - first);
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
}

// Half of the variance first, on a lattice of the scores; then the other half from there. The second step
// is a lattice rule for a function that is already smooth, so it has few nodes, and no race function
// is evaluated for it.
void smoothed_in_two_steps(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, double s, double accuracy,
                           double tail, int derivatives, Eigen::MatrixXd& values) {
    const double half = s / std::sqrt(2.0);
    const double spacing = half * lattice_spacing(half, half, 0, 1, accuracy);
    const double reach = half * std::sqrt(2 * std::log(1 / tail));
    const auto side = static_cast<Eigen::Index>(reach / spacing) + 1, width = 2 * side;
    const double low = points.minCoeff() + shifts.minCoeff() - static_cast<double>(side + 1) * spacing;
    const double high = points.maxCoeff() + shifts.maxCoeff() + static_cast<double>(side + 1) * spacing;
    const auto count = static_cast<Eigen::Index>((high - low) / spacing) + 2;
    const Eigen::ArrayXd lattice = low + spacing * Eigen::ArrayXd::LinSpaced(count, 0, static_cast<double>(count - 1));
    Eigen::MatrixXd table;
    smoothed_race(lattice, Eigen::ArrayXd::Zero(1), half, accuracy, tail, derivatives, table);

    const double unit = spacing / half;
    const Eigen::ArrayXd z =
        unit * Eigen::ArrayXd::LinSpaced(width, static_cast<double>(-side), static_cast<double>(side - 1));
    const Eigen::ArrayXd normal = unit / std::sqrt(2 * pi) * (-z.square() / 2).exp();
    Eigen::ArrayXd weights(width);
    for (Eigen::Index column = 0; column < shifts.size(); ++column) {
        const Window window = fill_saturated(points, shifts[column], s, tail, derivatives, values.col(column).data());
        for (Eigen::Index a = window.first; a < window.last; ++a) {
            const double position = (points[a] + shifts[column] - low) / spacing;
            const auto centre = static_cast<Eigen::Index>(position);
            const double offset = unit * (position - static_cast<double>(centre));  // in [0, unit)
            // The normal density at z - offset.
            const double common = vector_exp(-offset * offset / 2);
            for (Eigen::Index l = 0; l < width; ++l) {
                const SplitExp e = split_exp(offset * z[l]);
                weights[l] = common * normal[l] * (e.scale + e.scale * e.rest);
            }
            const double* entries = table.data() + centre - side;
            for (int d = 0; d < derivatives; ++d)
                values(d * points.size() + a, column) =
                    (weights * Eigen::Map<const Eigen::ArrayXd>(entries + d * count, width)).sum();
        }
    }
}

}  // namespace

void smoothed_race(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, double s, double accuracy, double tail,
                   int derivatives, Eigen::MatrixXd& values) {
    values.resize(derivatives * points.size(), shifts.size());
    const QuadratureRule rule = smoothing_rule(s, 0, accuracy, tail);
    const bool many = points.size() * shifts.size() > 400 && rule.nodes.size() > 40;
    if (many)
        smoothed_in_two_steps(points, shifts, s, accuracy, tail, derivatives, values);
    else
        smoothed_directly(points, shifts, s, rule, tail, derivatives, values);
}

void bare_race(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, int derivatives, Eigen::MatrixXd& values) {
    values.resize(derivatives * points.size(), shifts.size());
    smoothed_directly(points, shifts, 0, {Eigen::VectorXd::Zero(1), Eigen::VectorXd::Ones(1)}, 1e-300, derivatives,
                      values);
}

}  // namespace lemmata
