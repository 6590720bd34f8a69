#include <lemmata/race.hpp>
#include <lemmata/race_lattice.hpp>
#include <lemmata/vector_math.hpp>

#include <algorithm>
#include <cmath>

namespace lemmata {

RaceRange race_range(double sigma, std::int64_t tokens, std::optional<double> bias,
                     const std::vector<double>& relevant_means, double cut) {
    const double others = static_cast<double>(tokens - 1);
    const double tail = cut / others / 10;
    const double reach = std::sqrt(2 * std::log(1 / tail));
    // Generous ends: lost(u) <= P(Z > z) + 1 - g(u + z sigma), and g(u + x) bounds the rest likewise.
    double low = std::log(tail) - reach * sigma, high = 4.5 + reach * sigma;
    if (bias) {
        low = std::min(low, std::log(cut / 10) - *bias);
        high = std::min(high, 4.5 - *bias);
    }
    low = std::min(low, high - 10);
    const auto lost = [&](const Eigen::ArrayXd& u) -> Eigen::ArrayXd {
        Eigen::MatrixXd values;
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
    // log Lambda, which rises with u.
    Eigen::ArrayXd log_lambda(count);
    for (Eigen::Index a = 0; a < count; ++a) {
        const double lost = std::min(values[a], 1 - 1e-16);
        double lambda = -others * std::log1p(-lost);
        if (bias) lambda += std::exp(std::min(u[a] + *bias, 700.0));
        log_lambda[a] = std::log(std::max(lambda, 1e-300));
    }
    // Where it first exceeds `level`, by linear interpolation.
    const auto crossing = [&](double level) {
        Eigen::Index a = 1;
        while (a < count - 1 && log_lambda[a] < level) ++a;
        const double rise = log_lambda[a] - log_lambda[a - 1];
        if (!(rise > 0)) return u[a];
        return u[a] - std::clamp((log_lambda[a] - level) / rise, 0.0, 1.0) * (u[a] - u[a - 1]);
    };
    RaceRange range{};
    range.low = crossing(std::log(cut));
    range.high = crossing(std::log(10 - std::log(cut)));  // derivatives multiply e^{-Lambda} by Lambda^3
    range.slope = 0;
    const double step = (high - low) / (count - 1);
    const double latest = std::log(bias ? 12.0 : 4.0);  // a bias may take over late, and is steep
    for (Eigen::Index a = 1; a < count; ++a)
        if (log_lambda[a] > std::log(0.4) && log_lambda[a - 1] < latest)
            range.slope = std::max(range.slope, (log_lambda[a] - log_lambda[a - 1]) / step);
    range.slope = std::clamp(range.slope, 1e-6, 1.0);
    range.stretch = std::min(crossing(std::log(0.03)), tail_begins);
    for (const double mean : relevant_means)
        if (-mean > range.low - 5) range.stretch = std::min(range.stretch, -mean - 3);
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

TimeLattice time_lattice(const RaceRange& range, double spacing, bool stretched) {
    const double length = range.high - range.low;
    const double width = 1 / range.slope;
    std::vector<double> nodes, weights;
    nodes.reserve(static_cast<std::size_t>(length / spacing) + 2);
    weights.reserve(nodes.capacity());
    for (double t = range.high;; t -= spacing) {
        const double bend = stretched ? std::exp(-(t - range.stretch) / width) : 0;
        const double u = t - width * bend;
        nodes.push_back(u);
        weights.push_back(spacing * (1 + bend));
        if (u < range.low) break;
    }
    const auto count = static_cast<Eigen::Index>(nodes.size());
    return {Eigen::Map<Eigen::ArrayXd>(nodes.data(), count).reverse(),
            Eigen::Map<Eigen::ArrayXd>(weights.data(), count).reverse()};
}

}  // namespace lemmata
