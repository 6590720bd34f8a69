#include <lemmata/error.hpp>
#include <lemmata/exponential_race.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace lemmata {
namespace {

constexpr double share = 1e-3;  // of the tolerance, for each of spacing and tails
constexpr int chunk = 16;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

double choose_step(double tolerance) {
    double step = 12 * race_grain;
    while (step > 2.5 * race_grain && race_discretisation(step, 2) > share * tolerance) step -= race_grain;
    return step;
}

// What one lattice point adds to both forms, and their errors inherited from the transform.
struct Terms {
    double missed = 0, squared = 0, missed_error = 0, squared_error = 0;
};

Terms terms_at(const RaceTransform& transform, Eigen::Index j, double u, double others) {
    const double first = transform.first[j];
    if (first <= 0) return {};  // underflow
    const double missed = others * std::exp(2 * std::log(first) - u + (others - 1) * transform.log_survival[j]);
    double squared = 2 * missed * transform.second[j] / first;
    if (others > 1) squared += (others - 1) * missed * first * std::exp(-transform.log_survival[j]);
    const double inherited = std::min(1.0, 3 * transform.relative_error[j] + (others - 1) * transform.log_error[j]);
    return {missed, squared, missed * inherited, squared * inherited};
}

}  // namespace

RaceTransform sum(const RaceTransform& a, const RaceTransform& b) {
    const Eigen::ArrayXd survival_a = a.log_survival.exp();
    const Eigen::ArrayXd survival_b = b.log_survival.exp();
    RaceTransform total(a.first.size());
    total.log_survival = a.log_survival + b.log_survival;
    total.first = a.first * survival_b + survival_a * b.first;
    total.second = a.second * survival_b + 2 * a.first * b.first + survival_a * b.second;
    total.log_error = a.log_error + b.log_error;
    total.relative_error = a.relative_error + b.relative_error + total.log_error + 4 * epsilon;
    return total;
}

RaceTransform sum_of_copies(const RaceTransform& a, int copies) {
    RaceTransform total = a;
    for (int i = 1; i < copies; ++i) total = sum(total, a);
    return total;
}

double race_discretisation(double step, int k) {
    const auto log_bound = [&](double a) {
        return std::log(2 / std::expm1(2 * std::numbers::pi * a / step)) - k * std::log(std::cos(a));
    };
    // Any a is a valid bound; the best one is near pi/2 - k h / (2 pi).
    const double best = std::max(0.5, std::numbers::pi / 2 - k * step / (2 * std::numbers::pi));
    return std::exp(log_bound(best));
}

double race_left_end(std::int64_t tokens, double tolerance) {
    return std::log(share * tolerance / static_cast<double>(tokens - 1));
}

RaceRisk race_risk(const RaceLaw& null_law, std::int64_t tokens, double tolerance) {
    if (tokens < 2) throw InvalidInput("model.tokens", std::to_string(tokens), "at least 2");
    if (!(tolerance > 0)) throw InvalidInput("tolerance", std::to_string(tolerance), "a number > 0");
    const auto others = static_cast<double>(tokens - 1);
    const double step = choose_step(tolerance);
    RaceGrid lattice{std::floor(race_left_end(tokens, tolerance) / race_grain) * race_grain, step, chunk};
    // A <= 1/e, so the right tail e^{-u} A phi^{L-1} is below its share before this.
    const double right_end = -std::log(share * tolerance);
    Terms total;
    double tails = 0;
    for (bool starting = true, finished = false; !finished; starting = false) {
        const RaceTransform transform = null_law(lattice);
        if (starting) tails = -2 * others * std::expm1(transform.log_survival[0]);
        for (int j = 0; j < chunk && !finished; ++j) {
            const double u = lattice.at(j);
            const double log_survival = transform.log_survival[j];
            const double first = transform.first[j];
            const Terms t = terms_at(transform, j, u, others);
            total.missed += step * t.missed;
            total.squared += step * t.squared;
            total.missed_error += step * t.missed_error;
            total.squared_error += step * t.squared_error;
            const double right = std::exp(-u) * first * std::exp(others * log_survival);
            finished = right + t.missed <= share * tolerance || u > right_end;
            if (finished) tails += 2 * (right + t.missed);
        }
        lattice.first += chunk * step;
    }
    const double rounding = 64 * epsilon;
    return {{total.missed, total.missed_error + tails + total.missed * (race_discretisation(step, 1) + rounding)},
            {total.squared, total.squared_error + tails + total.squared * (race_discretisation(step, 2) + rounding)}};
}

}  // namespace lemmata
