#include <lemmata/certified_race.hpp>
#include <lemmata/error.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lemmata {
namespace {

constexpr double pi_double = 3.14159265358979323846;
// Constants in front of the bounds, sums over nodes and the like: room in the exponent, not part of any proof.
constexpr double room = 6;
constexpr std::int64_t most_nodes = 200'000;

// 2 sec(angle)^2 e^{y^2/2} / (e^{2 pi y/h} - 1); the Gaussian's factor is absent if the strip is in u.
Ball trapezoid_constant(double angle, const Ball& gaussian, double y, const Ball& h) {
    const Ball cosine = cos(Ball(angle));
    return Ball(2) * gaussian / (cosine * cosine) / expm1(Ball(2) * pi() * Ball(y) / h);
}

// The y below `limit` with the largest merit: a scan is enough, since any y gives a valid bound.
template <class Merit>
double best_strip(double limit, const Merit& merit) {
    double best = limit / 2;
    for (int i = 1; i < 200; ++i)
        if (const double y = limit * i / 200; merit(y) > merit(best)) best = y;
    return best;
}

// Strips in which a rate with factors of at most `width` keeps a positive real part.
double widest_strip(double width, const RaceGoal& goal) {
    return std::min(pi_double / 2 / width, 2 * std::sqrt(goal.exponent + room));
}

// -log of what stands before 1 / (e^{2 pi y/h} - 1).
double price(double width, double y) {
    return y * y / 2 - 2 * std::log(std::cos(width * y)) + std::log(2.0);
}

}  // namespace

double RaceGoal::with_tokens() const {
    return exponent + std::log(static_cast<double>(tokens));
}

double normal_spacing(double width, const RaceGoal& goal) {
    const auto spacing = [&](double y) { return 2 * pi_double * y / (goal.exponent + room + price(width, y)); };
    return spacing(best_strip(widest_strip(width, goal), spacing));
}

NormalRule normal_rule(double width, const RaceGoal& goal) {
    if (width == 0) return {{Ball(0)}, {Ball(1)}, Ball(0), Ball(0)};
    return normal_rule(width, Ball(normal_spacing(width, goal)), goal);
}

NormalRule normal_rule(double width, const Ball& spacing, const RaceGoal& goal) {
    const double h = spacing.upper_double();
    const double y = best_strip(widest_strip(width, goal),
                                [&](double strip) { return 2 * pi_double * strip / h - price(width, strip); });
    // The angle in the secant must not be smaller than width * y.
    const double angle = (Ball(width) * Ball(y)).upper_double();
    const auto count = static_cast<std::int64_t>(std::sqrt(2 * (goal.with_tokens() + room)) / h) + 1;
    if (!(angle < pi_double / 2) || count > most_nodes) throw Unfinished("certified: scores are too wide");
    NormalRule rule;
    rule.error = trapezoid_constant(angle, exp(Ball(y) * Ball(y) / Ball(2)), y, spacing);
    const Ball scale = spacing / sqrt(Ball(2) * pi());
    for (std::int64_t k = -count; k <= count; ++k) {
        rule.nodes.push_back(Ball(k) * spacing);
        rule.weights.push_back(scale * exp(-rule.nodes.back() * rule.nodes.back() / Ball(2)));
    }
    rule.cut = erfc(Ball(count) * spacing / sqrt(Ball(2)));  // both sides
    return rule;
}

RateLaw rate_law(const std::vector<AffineScore>& scores, const RaceGoal& goal) {
    const std::size_t dimensions = scores.front().slopes.size();
    struct Point {
        std::vector<Ball> x;
        Ball weight;
    };
    std::vector<Point> points(1);
    points[0].weight = Ball(1);
    RateLaw law{{}, {}, Ball(1), Ball(0), Ball(0)};
    for (const AffineScore& score : scores) {
        points[0].x.push_back(score.shift);
        Ball exponent = score.shift;
        for (const Ball& slope : score.slopes) exponent += slope * slope / Ball(2);
        law.mean += exp(exponent);
    }
    const double negligible = std::exp(-goal.with_tokens() - 3 * room);
    for (std::size_t d = 0; d < dimensions; ++d) {
        double width = 0;
        for (const AffineScore& score : scores) {
            const Ball& slope = score.slopes[d];
            width = std::max({width, slope.upper_double(), (-slope).upper_double()});
        }
        const NormalRule rule = normal_rule(width, goal);
        law.error *= Ball(1) + rule.error;
        // Theorem 2, mass left out: the nodes of this axis beyond the end, times all of the axes before (below 2).
        law.cut += Ball(2) * rule.cut;
        std::vector<Point> finer;
        for (const Point& point : points)
            for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
                Point next{point.x, point.weight * rule.weights[k]};
                if (d + 1 == dimensions && next.weight.upper_double() < negligible) {
                    law.cut += next.weight;
                    continue;
                }
                for (std::size_t s = 0; s < scores.size(); ++s) next.x[s] += scores[s].slopes[d] * rule.nodes[k];
                finer.push_back(std::move(next));
            }
        points = std::move(finer);
    }
    law.error -= Ball(1);
    for (Point& point : points) {
        Ball rate(0);
        for (const Ball& x : point.x) rate += exp(x);
        law.rates.push_back(std::move(rate));
        law.weights.push_back(std::move(point.weight));
    }
    return law;
}

void race_point(const Ball& y, Ball& lost, Ball& running) {
    const slong bits = WorkingPrecision::bits();
    arb_neg(running.raw(), y.raw());
    if (arf_cmpabs_2exp_si(arb_midref(y.raw()), -4) < 0) {  // where 1 - e^-y would lose digits
        arb_expm1(lost.raw(), running.raw(), bits);
        arb_add_si(running.raw(), lost.raw(), 1, bits);
        arb_neg(lost.raw(), lost.raw());
    } else {
        arb_exp(running.raw(), running.raw(), bits);
        arb_sub_si(lost.raw(), running.raw(), 1, bits);
        arb_neg(lost.raw(), lost.raw());
    }
}

namespace {

// Adds E-sums at one time; `values` may be asked for lost alone.
RaceValues summed(const RateLaw& law, const Ball& time, bool all) {
    const slong bits = WorkingPrecision::bits();
    RaceValues sum{Ball(0), Ball(0), Ball(0)};
    Ball y, g, lost;
    for (std::size_t k = 0; k < law.rates.size(); ++k) {
        arb_mul(y.raw(), time.raw(), law.rates[k].raw(), bits);
        race_point(y, lost, g);
        arb_addmul(sum.lost.raw(), law.weights[k].raw(), lost.raw(), bits);
        if (!all) continue;
        arb_mul(g.raw(), g.raw(), law.weights[k].raw(), bits);
        arb_mul(g.raw(), g.raw(), y.raw(), bits);
        arb_add(sum.first.raw(), sum.first.raw(), g.raw(), bits);
        arb_addmul(sum.second.raw(), g.raw(), y.raw(), bits);
    }
    // Theorem 2: mass left out, then the rule's own error.
    sum.lost = integral_from_sum(raised(sum.lost, law.cut), law.error);
    if (all) {
        const Ball error = law.error * sum.lost;
        sum.first = widened(raised(sum.first, law.cut), error);
        sum.second = widened(raised(sum.second, law.cut), error);
    }
    return sum;
}

}  // namespace

RaceValues race_values(const RateLaw& law, const Ball& time) {
    return summed(law, time, true);
}

Ball race_lost(const RateLaw& law, const Ball& time) {
    return summed(law, time, false).lost;
}

Ball survival_power(const Ball& lost, std::int64_t n) {
    if (n == 0) return Ball(1);
    const auto power = [n](const Ball& x) { return exp(Ball(n) * log1p(-x)); };
    if (lost.below(Ball(1))) return power(lost);
    const Ball least = lost.lower();
    return hull(Ball(0), least.below(Ball(1)) ? power(least) : Ball(0));
}

TimeRule time_rule(const RaceGoal& goal) {
    const auto spacing = [&](double a) {
        return 2 * pi_double * a / (goal.exponent + room - 2 * std::log(std::cos(a)) + std::log(2.0));
    };
    const double a = best_strip(pi_double / 2, spacing);
    TimeRule rule{spacing(a), {}};
    rule.error = trapezoid_constant(a, Ball(1), a, Ball(rule.spacing));
    return rule;
}

Ball TimeRule::at(std::int64_t j) const {
    return Ball(j) * Ball(spacing);
}

Ball integral_from_sum(const Ball& sum, const Ball& error) {
    return sum / widened(Ball(1), error);
}

TimeRange time_range(const OneRace& race, const TimeRule& rule, const RaceGoal& goal) {
    // Left: beta e^u is the mean of y summed over all competitors.
    const Ball beta = Ball(goal.tokens - 1) * race.null.mean + race.competitor;
    TimeRange range{};
    range.first =
        static_cast<std::int64_t>(std::floor(-(goal.exponent + room + log(beta).upper_double()) / rule.spacing));
    const Ball left = beta * exp(rule.at(range.first));
    // Right: until the relevant token and the competitors have surely finished.
    const auto right = [&](std::int64_t j) {
        const Ball time = exp(rule.at(j)), half = time / Ball(2);
        const Ball unfinished =
            survival_power(race_lost(race.null, half), goal.tokens - 1) * exp(-half * race.competitor);
        return (survival_power(race.relevant_lost(time), 1) * unfinished).upper();
    };
    const auto step = static_cast<std::int64_t>(1 / rule.spacing) + 1;
    range.last = range.first + step;
    const Ball small = exp(Ball(-goal.exponent - room));
    Ball rest = right(range.last);
    while (!rest.below(small)) {
        range.last += step;
        if (range.last - range.first > most_nodes) throw Unfinished("certified: scores are too wide");
        rest = right(range.last);
    }
    range.cut = Ball(8) * left + Ball(8) * rest;
    return range;
}

RaceIntegrals race_integrals(const OneRace& race, const RaceGoal& goal) {
    const TimeRule rule = time_rule(goal);
    const TimeRange range = time_range(race, rule, goal);
    const std::int64_t L = goal.tokens;
    const Ball others(L - 1), pairs(L - 2);
    Ball misses(0), both(0);
    for (std::int64_t j = range.first; j <= range.last; ++j) {
        const Ball time = exp(rule.at(j)), e = time * race.competitor;
        const RaceValues null = race_values(race.null, time);
        const Ball running = survival_power(race.relevant_lost(time), 1) * exp(-e);
        const Ball all = survival_power(null.lost, L - 1), but_one = survival_power(null.lost, L - 2);
        misses += running * (others * null.first * but_one + e * all);
        Ball kernel = Ball(2) * others * (null.second + null.first * e) * but_one + e * e * all;
        if (L > 2) kernel += others * pairs * null.first * null.first * survival_power(null.lost, L - 3);
        both += running * kernel;
    }
    const Ball h(rule.spacing);
    return {integral_from_sum(raised(h * misses, range.cut), rule.error),
            integral_from_sum(raised(h * both, range.cut), rule.error)};
}

namespace {

// The end of a ball as a decimal number with `places` digits after the point, rounded outward.
std::string decimal(const Ball& end, long places, bool up) {
    fmpz_t power, integer;
    fmpz_init(power);
    fmpz_init(integer);
    fmpz_ui_pow_ui(power, 10, static_cast<ulong>(places));
    Ball scaled;
    arf_mul_fmpz(arb_midref(scaled.raw()), arb_midref(end.raw()), power, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_get_fmpz(integer, arb_midref(scaled.raw()), up ? ARF_RND_CEIL : ARF_RND_FLOOR);
    const bool negative = fmpz_sgn(integer) < 0;
    fmpz_abs(integer, integer);
    char* text = fmpz_get_str(nullptr, 10, integer);
    std::string digits(text);
    flint_free(text);
    fmpz_clear(power);
    fmpz_clear(integer);
    if (static_cast<long>(digits.size()) <= places)
        digits.insert(0, static_cast<std::size_t>(places) + 1 - digits.size(), '0');
    digits.insert(digits.size() - static_cast<std::size_t>(places), ".");
    return (negative ? "-" : "") + digits;
}

}  // namespace

Enclosure enclose(int digits, std::int64_t tokens, const std::function<Ball(const RaceGoal&)>& compute) {
    validate_certified_digits(digits);
    double extra = 2;
    for (int attempt = 0; attempt < 4; ++attempt) {
        const RaceGoal goal{(digits + extra) * std::log(10.0), tokens};
        const WorkingPrecision precision(static_cast<slong>(goal.exponent / std::log(2.0)) + 18);
        const Ball result = compute(goal);
        if (result.finite()) {
            const Ball lower = result.lower(), upper = result.upper();
            const double size = std::max(std::abs(lower.lower_double()), std::abs(upper.upper_double()));
            const double width = (upper - lower).upper_double();
            const double reached = -std::log10(width / size);
            if (reached >= digits + 0.05) {
                const auto places = static_cast<long>(std::max(0.0, std::ceil(digits + 1.3 - std::log10(size))));
                return {decimal(lower, places, false), decimal(upper, places, true), lower.lower_double(),
                        upper.upper_double()};
            }
            extra += std::isfinite(reached) ? std::clamp(digits - reached + 1, 2.0, 40.0) : 10;
        } else {
            extra += 10;
        }
    }
    throw Unfinished(fmt::format("certified: {} digits were not reached", digits));
}

}  // namespace lemmata
