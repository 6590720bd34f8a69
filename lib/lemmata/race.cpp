#include <lemmata/gauss_hermite.hpp>
#include <lemmata/lattice.hpp>
#include <lemmata/race.hpp>
#include <lemmata/vector_math.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

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

constexpr double very_wide = 40;  // from here on a lattice of scores is faster than one of the law

// Points handled together: accumulators stay in the first-level cache.
constexpr Eigen::Index block = 64;
constexpr double block_reach = 600;  // e^{+-300} and e^{+-708} leave room between them

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

RaceSupport race_support(double s, double tail) {
    const double reach = s * std::sqrt(2 * std::log(1 / tail));
    return {std::log(tail) - 7 - reach, 4.5 + reach};
}

namespace {

// Points outside of the support are not computed. With wide laws these are most points.
struct Window {
    Eigen::Index first, last;
};
Window fill_saturated(const Eigen::ArrayXd& points, double shift, double s, double tail, int derivatives,
                      double* column) {
    const Eigen::Index n = points.size();
    const RaceSupport support = race_support(s, tail);
    const auto begin = points.begin(), end = points.end();
    const Window window{std::lower_bound(begin, end, support.low - shift) - begin,
                        std::upper_bound(begin, end, support.high - shift) - begin};
    for (int d = 0; d < derivatives; ++d) {
        std::fill(column + d * n, column + d * n + window.first, 0.0);
        std::fill(column + d * n + window.last, column + (d + 1) * n, d == 0 ? 1.0 : 0.0);
    }
    return window;
}

// One exponential for each point and node.
void smoothed_directly(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, double s, const QuadratureRule& rule,
                       double tail, int derivatives, Eigen::Ref<Eigen::MatrixXd> values) {
    double rates[block], sums[max_race_derivatives][block];
    Eigen::ArrayXd factors(rule.nodes.size());
    for (Eigen::Index column = 0; column < shifts.size(); ++column) {
        const Window window = fill_saturated(points, shifts[column], s, tail, derivatives, values.col(column).data());
        for (Eigen::Index first = window.first, count = 0; first < window.last; first += count) {
            // Exponents are split, and blocks kept short, so that rates neither over- nor underflow however wide the
            // law; factors may, where all of the block is certain.
            count = 1;
            while (count < std::min(block, window.last - first) && points[first + count] - points[first] < block_reach)
                ++count;
            const double centre = (points[first] + points[first + count - 1]) / 2 + shifts[column];
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

// A very wide law: int lost'(y) Phi((x - y) / s) dy on a lattice of scores y, and likewise for derivatives. lost' is of
// bounded support in effect, so that the cost does not grow with s.
void smoothed_over_scores(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, double s, double accuracy,
                          double tail, int derivatives, Eigen::Ref<Eigen::MatrixXd> values) {
    // The d-th derivative is smaller by s^d, and so must be what is cut.
    const double low = std::log(tail) - derivatives * std::log(s), high = std::log(-low);
    const double spacing = lattice_spacing(1, 0, 0, 1, std::max(accuracy / s, 1e-16));
    const auto count = static_cast<Eigen::Index>((high - low) / spacing) + 1;
    const Eigen::ArrayXd y = Eigen::ArrayXd::LinSpaced(count, high - spacing * static_cast<double>(count - 1), high);
    Eigen::MatrixXd bare(derivatives * count, 1);
    const Eigen::ArrayXd rate = y.exp(), slope = spacing * rate * (-rate).exp();
    bare_race(y, Eigen::ArrayXd::Zero(1), derivatives, bare);
    const Eigen::Index n = points.size();
    Eigen::ArrayXd density(count);
    for (Eigen::Index column = 0; column < shifts.size(); ++column) {
        const Window window = fill_saturated(points, shifts[column], s, tail, derivatives, values.col(column).data());
        for (Eigen::Index a = window.first; a < window.last; ++a) {
            const double x = points[a] + shifts[column];
            double below = 0;
            for (Eigen::Index k = 0; k < count; ++k) {
                const double z = (x - y[k]) / s;
                density[k] = spacing / s / std::sqrt(2 * pi) * vector_exp(-z * z / 2);
                below += slope[k] * std::erfc(-z / std::sqrt(2.0)) / 2;
            }
            values(a, column) = below;
            for (int d = 1; d < derivatives; ++d)
                values(d * n + a, column) = (density * bare.col(0).segment(d * count, count).array()).sum();
        }
    }
}

// Half of the variance first, on a lattice of the scores; then the other half from there. The second step
// is a lattice rule for a function that is already smooth, so it has few nodes, and no race function
// is evaluated for it. The lattice divides the distance between shifts: all columns then share the weights
// of a point, and no exponential is left for each value.
struct HalfWay {
    double half, spacing, low;
    Eigen::Index side;    // the second step's nodes on either side
    Eigen::Index stride;  // from one shift to the next
    Eigen::Index count;
};
HalfWay half_way(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, double s, double accuracy, double tail) {
    HalfWay lattice{};
    lattice.half = s / std::sqrt(2.0);
    // Two digits to spare: with none, narrow laws were off by twice `accuracy` (measured in the loss).
    const double widest = lattice.half * lattice_spacing(lattice.half, lattice.half, 0, 1, accuracy / 100);
    const double step = shifts.size() > 1 ? std::abs(shifts[1] - shifts[0]) : widest;
    const double stride = std::ceil(step / widest);
    lattice.spacing = step / stride;
    const double reach = lattice.half * std::sqrt(2 * std::log(1 / tail)) / lattice.spacing;
    const double range = (points.maxCoeff() - points.minCoeff() + shifts.maxCoeff() - shifts.minCoeff());
    const double count = range / lattice.spacing + 2 * reach + 8;
    if (!(count < 1e6)) return lattice;  // shifts all but equal
    lattice.stride = static_cast<Eigen::Index>(stride);
    lattice.side = static_cast<Eigen::Index>(reach) + 1;
    lattice.count = static_cast<Eigen::Index>(count);
    lattice.low = points.minCoeff() + shifts.minCoeff() - static_cast<double>(lattice.side + 1) * lattice.spacing;
    return lattice;
}

constexpr Eigen::Index lanes = 32;  // columns handled together: sums stay in registers

void smoothed_in_two_steps(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, double s, const HalfWay& lattice,
                           double accuracy, double tail, int derivatives, Eigen::Ref<Eigen::MatrixXd> values) {
    const Eigen::Index n = points.size(), columns = shifts.size(), stride = lattice.stride, width = 2 * lattice.side;
    const Eigen::ArrayXd scores =
        lattice.low +
        lattice.spacing * Eigen::ArrayXd::LinSpaced(lattice.count, 0, static_cast<double>(lattice.count - 1));
    Eigen::MatrixXd first_step(derivatives * lattice.count, 1);
    smoothed_race(scores, Eigen::ArrayXd::Zero(1), lattice.half, accuracy, tail, derivatives, first_step);
    // Entry p + stride j goes to row j of column p: what one node contributes to successive shifts lies together.
    const Eigen::Index rows = lattice.count / stride + 1 + lanes;
    Eigen::MatrixXd table = Eigen::MatrixXd::Zero(rows, stride * derivatives);
    for (int d = 0; d < derivatives; ++d)
        for (Eigen::Index l = 0; l < lattice.count; ++l)
            table(l / stride, d * stride + l % stride) = first_step(d * lattice.count + l, 0);

    const bool rising = shifts[0] <= shifts[columns - 1];
    const auto column_of = [&](Eigen::Index k) { return rising ? k : columns - 1 - k; };
    const double least = shifts[column_of(0)];
    std::vector<Window> windows;
    for (Eigen::Index k = 0; k < columns; ++k)
        windows.push_back(
            fill_saturated(points, shifts[column_of(k)], s, tail, derivatives, values.col(column_of(k)).data()));

    const double unit = lattice.spacing / lattice.half;
    const Eigen::ArrayXd z = unit * Eigen::ArrayXd::LinSpaced(width, static_cast<double>(-lattice.side),
                                                              static_cast<double>(lattice.side - 1));
    Eigen::ArrayXd weights(width);
    for (Eigen::Index a = 0; a < n; ++a) {
        const double position = (points[a] + least - lattice.low) / lattice.spacing;
        const auto centre = static_cast<Eigen::Index>(position);
        const double offset = unit * (position - static_cast<double>(centre));  // in [0, unit)
        for (Eigen::Index l = 0; l < width; ++l) {
            const double y = z[l] - offset;
            weights[l] = unit / std::sqrt(2 * pi) * vector_exp(-y * y / 2);
        }
        // Higher shifts saturate from above, lower ones from below.
        Eigen::Index begin = 0, end = columns;
        while (begin < end && a < windows[static_cast<std::size_t>(begin)].first) ++begin;
        while (end > begin && a >= windows[static_cast<std::size_t>(end - 1)].last) --end;
        for (int d = 0; d < derivatives; ++d)
            for (Eigen::Index k = begin; k < end; k += lanes) {
                Eigen::Array<double, lanes, 1> sums = Eigen::Array<double, lanes, 1>::Zero();
                for (Eigen::Index l = 0; l < width; ++l) {
                    const Eigen::Index entry = centre - lattice.side + l;
                    const double* from = &table(entry / stride + k, d * stride + entry % stride);
                    sums += weights[l] * Eigen::Map<const Eigen::Array<double, lanes, 1>>(from);
                }
                for (Eigen::Index j = 0; j < std::min(lanes, end - k); ++j)
                    values(d * n + a, column_of(k + j)) = sums[j];
            }
    }
}

// A narrow law: Gauss-Hermite, off by at most n! (s/a)^{2n} times the largest value in a disc of radius a.
int gauss_hermite_order(double s, double accuracy) {
    double bound = std::exp(half_strip) / (std::cos(half_strip) * std::cos(half_strip));
    int order = 0;
    while (bound > accuracy && order < 12) {
        ++order;
        bound *= order * (s / half_strip) * (s / half_strip);
    }
    return bound > accuracy ? max_gauss_hermite_order : order;
}

QuadratureRule direct_rule(double s, double accuracy, double tail) {
    const int order = gauss_hermite_order(s, accuracy);
    return order < max_gauss_hermite_order ? gauss_hermite(order) : smoothing_rule(s, 0, accuracy, tail);
}

}  // namespace

void smoothed_race(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, double s, double accuracy, double tail,
                   int derivatives, Eigen::Ref<Eigen::MatrixXd> values) {
    if (gauss_hermite_order(s, accuracy) == max_gauss_hermite_order) {
        const HalfWay lattice = half_way(points, shifts, s, accuracy, tail);
        if (lattice.count > 0 && 2 * lattice.count < points.size() * shifts.size()) {
            smoothed_in_two_steps(points, shifts, s, lattice, accuracy, tail, derivatives, values);
            return;
        }
    }
    if (s > very_wide)
        smoothed_over_scores(points, shifts, s, accuracy, tail, derivatives, values);
    else
        smoothed_directly(points, shifts, s, direct_rule(s, accuracy, tail), tail, derivatives, values);
}

void bare_race(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, int derivatives,
               Eigen::Ref<Eigen::MatrixXd> values) {
    smoothed_directly(points, shifts, 0, {Eigen::VectorXd::Zero(1), Eigen::VectorXd::Ones(1)}, 1e-300, derivatives,
                      values);
}

}  // namespace lemmata
