#include <lemmata/error.hpp>
#include <lemmata/race.hpp>
#include <lemmata/race_lattice.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <limits>
#include <utility>

namespace lemmata {
namespace {

constexpr std::size_t max_lattice_nodes = 1'000'000;

}  // namespace

RaceRange race_range(double sigma, std::int64_t tokens, std::optional<double> bias,
                     const std::vector<double>& relevant_means, double cut) {
    const double others = static_cast<double>(tokens - 1);
    const double tail = cut / others / 10;
    const double reach = std::sqrt(2 * std::log(1 / tail));
    // Generous ends: lost(u) <= P(Z > z) + 1 - g(u + z sigma), and g(u + x) bounds the rest likewise.
    const double low = std::log(tail) - reach * sigma, high = 4.5 + reach * sigma;
    const auto lost = [&](const Eigen::ArrayXd& u) -> Eigen::ArrayXd {
        Eigen::MatrixXd values(u.size(), 1);
        smoothed_race(u, Eigen::ArrayXd::Zero(1), sigma, 1e-12, tail, 1, values);
        return values.col(0).array();
    };
    return race_range(lost, low, high, -1.5 * sigma * sigma - 1.5, tokens, bias, relevant_means, cut);
}

RaceRange race_range(const std::function<Eigen::ArrayXd(const Eigen::ArrayXd&)>& lost_at, double low, double high,
                     double tail_begins, std::int64_t tokens, std::optional<double> bias,
                     const std::vector<double>& relevant_means, double cut) {
    const double others = static_cast<double>(tokens - 1);
    constexpr Eigen::Index count = 96;
    const Eigen::ArrayXd u = Eigen::ArrayXd::LinSpaced(count, low, high);
    const Eigen::ArrayXd values = lost_at(u);
    const double step = (high - low) / (count - 1);
    // log Lambda of the tokens, which rises with u.
    Eigen::ArrayXd log_lambda(count);
    for (Eigen::Index a = 0; a < count; ++a)
        log_lambda[a] = std::log(std::max(-others * std::log1p(-std::min(values[a], 1 - 1e-16)), 1e-300));
    // The same between the samples, and beyond them with the slope 1 of a single exponential; with the bias.
    const auto log_total = [&](double at) {
        const double position = (at - low) / step;
        double tokens_part = 0;
        if (position <= 0)
            tokens_part = log_lambda[0] + (at - low);
        else if (position >= static_cast<double>(count - 1))
            tokens_part = log_lambda[count - 1] + (at - high);
        else {
            const auto a = std::min(static_cast<Eigen::Index>(position), count - 2);
            const double share = position - static_cast<double>(a);
            tokens_part = (1 - share) * log_lambda[a] + share * log_lambda[a + 1];
        }
        if (!bias) return tokens_part;
        const double bias_part = at + *bias, top = std::max(tokens_part, bias_part);
        return top + std::log(std::exp(tokens_part - top) + std::exp(bias_part - top));
    };
    const auto crossing = [&](double level) {
        // The bias alone would get there at level - b.
        double below = std::min(low, bias ? level - *bias : low) - 1,
               above = bias ? std::min(high, level - *bias) : high;
        while (above - below > 1e-6 * step + 1e-9 * std::abs(above)) {
            const double middle = (below + above) / 2;
            (log_total(middle) < level ? below : above) = middle;
        }
        return above;
    };
    RaceRange range{};
    range.low = crossing(std::log(cut));
    range.high = crossing(std::log(10 - std::log(cut)));  // derivatives multiply e^{-Lambda} by Lambda^3
    range.slope = 0;
    for (Eigen::Index a = 1; a < count; ++a)
        if (log_lambda[a] > std::log(0.4) && log_lambda[a - 1] < std::log(4.0))
            range.slope = std::max(range.slope, (log_lambda[a] - log_lambda[a - 1]) / step);
    range.slope = std::clamp(range.slope, 1e-6, 1.0);
    range.stretch = std::min(crossing(std::log(0.03)), tail_begins);
    for (const double mean : relevant_means)
        if (-mean > range.low - 5) range.stretch = std::min(range.stretch, -mean - 3);
    if (bias) range.edge = -*bias;
    return range;
}

double race_spacing(double accuracy) {
    // tan(a) = pi/h makes the bound smallest; a few fixed-point steps suffice.
    double h = 0.3;
    for (int step = 0; step < 8; ++step) {
        const double a = std::atan(3.14159265358979323846 / h);
        h = 2 * 3.14159265358979323846 * a / std::log(1 + 2 / (accuracy * std::cos(a) * std::cos(a)));
    }
    return h;
}

double race_spacing(double spacing, const RaceRange& range) {
    return spacing / range.slope * (1 + 0.35 * (1 - range.slope));
}

namespace {

// The lattice's parameter t, nodes being one apart, along tau:
//     t = tau / spacing + crowd asinh((u - edge) / reach),   u = tau - width e^{-(tau - stretch) / width},
// u = tau if the tail is not stretched.
class LatticeMap {
public:
    LatticeMap(const RaceRange& range, double spacing, double edge_spacing, bool stretched)
        : spacing_(spacing), width_(1 / range.slope), stretch_(range.stretch), stretched_(stretched) {
        if (!range.edge || spacing <= edge_spacing) return;
        edge_ = *range.edge;
        crowd_ = reach * (1 / edge_spacing - 1 / spacing);
    }
    struct Point {
        double u, speed;  // speed = du / dtau
        double t, rate;   // rate = dt / dtau
    };
    [[nodiscard]] Point operator()(double tau) const {
        const double bend = stretched_ ? std::exp(-(tau - stretch_) / width_) : 0;
        const double u = tau - width_ * bend, speed = 1 + bend, x = (u - edge_) / reach;
        return {u, speed, tau / spacing_ + crowd_ * std::asinh(x),
                1 / spacing_ + crowd_ / reach * speed / std::sqrt(1 + x * x)};
    }
    // Where t is one less than at tau. t rises at least by 1 / spacing.
    [[nodiscard]] double step_down(double tau) const {
        if (crowd_ == 0) return tau - spacing_;
        const Point from = (*this)(tau);
        return boost::math::tools::newton_raphson_iterate(
            [&](double trial) {
                const Point point = (*this)(trial);
                return std::pair(point.t - (from.t - 1), point.rate);
            },
            std::max(tau - 1 / from.rate, tau - spacing_), tau - spacing_, tau,
            std::numeric_limits<double>::digits - 4);
    }

private:
    // The branch points of asinh lie as far from the real line: beyond the strip, pi/2, in which races are analytic.
    static constexpr double reach = 4;
    double spacing_, width_, stretch_;
    bool stretched_;
    double edge_ = 0, crowd_ = 0;
};

}  // namespace

TimeLattice time_lattice(const RaceRange& range, double spacing, double edge_spacing, bool stretched) {
    const LatticeMap map(range, spacing, edge_spacing, stretched);
    std::vector<double> nodes, weights;
    for (double tau = range.high;; tau = map.step_down(tau)) {
        const auto point = map(tau);
        nodes.push_back(point.u);
        weights.push_back(point.speed / point.rate);
        if (point.u < range.low) break;
        if (nodes.size() > max_lattice_nodes)
            throw Unfinished(fmt::format("loss_exact: more than {} nodes in one race", max_lattice_nodes));
    }
    const auto count = static_cast<Eigen::Index>(nodes.size());
    return {Eigen::Map<Eigen::ArrayXd>(nodes.data(), count).reverse(),
            Eigen::Map<Eigen::ArrayXd>(weights.data(), count).reverse()};
}

}  // namespace lemmata
