// Enclosures: each bound of docs/certified.md attacked, and what is enclosed against every other route to it.
#include <lemmata/bayes_risk.hpp>
#include <lemmata/bayes_risk_certified.hpp>
#include <lemmata/certified_race.hpp>
#include <lemmata/error.hpp>
#include <lemmata/expressivity.hpp>
#include <lemmata/loss_certified.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_reference.hpp>
#include <lemmata/mellin_race.hpp>

#include "lib/corner_states.hpp"

#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace lemmata;

namespace {

using Digits50 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;

const RaceGoal fine{70, 5};

double middle(const Ball& ball) {
    return (ball.lower_double() + ball.upper_double()) / 2;
}
// |a - b|, as far as it is certain.
double distance(const Ball& a, const Ball& b) {
    const Ball difference = a - b;
    return std::max({0.0, difference.lower_double(), -difference.upper_double()});
}
bool contains(const Enclosure& enclosure, const Digits50& value) {
    return Digits50(enclosure.lower) <= value && value <= Digits50(enclosure.upper);
}
// A value known to `slack`.
bool meets(const Enclosure& enclosure, const Digits50& value, const Digits50& slack) {
    return Digits50(enclosure.lower) <= value + slack && value - slack <= Digits50(enclosure.upper);
}
double significant_digits(const Enclosure& enclosure) {
    const Digits50 width = Digits50(enclosure.upper) - Digits50(enclosure.lower);
    return -static_cast<double>(log10(width / Digits50(enclosure.upper)));
}

// The functions of a law from its bare sums: neither mass nor error added.
RaceValues bare(RateLaw law, const Ball& time) {
    law.error = law.cut = Ball(0);
    return race_values(law, time);
}

}  // namespace

TEST_CASE("the rule for scores is as good as theorem 2 says and not much better") {
    const WorkingPrecision precision(160);
    double tightest = 0, tightest_derivative = 0;
    bool beaten_without_prefactor = false;
    for (const double width : {0.3, 1.0, 3.0})
        for (const double exponent : {2.0, 8.0, 16.0})
            for (const double u : {-30.0, -5.0, -1.0, 0.0, 1.0, 3.0}) {
                CAPTURE(width, exponent, u);
                const RaceGoal coarse{exponent, 1'000'000'000};  // many tokens: no mass is left out that matters
                const std::vector<AffineScore> score{{Ball(0.3), {Ball(width)}}};
                const RateLaw law = rate_law(score, coarse);
                const RaceValues rough = bare(law, exp(Ball(u))),
                                 exact = race_values(rate_law(score, fine), exp(Ball(u)));
                const double bound = (law.error * exact.lost + law.cut).upper_double();
                for (const auto& [a, b] : {std::pair{&rough.lost, &exact.lost}, std::pair{&rough.first, &exact.first},
                                           std::pair{&rough.second, &exact.second}})
                    REQUIRE(distance(*a, *b) <= bound);
                tightest = std::max(tightest, distance(rough.lost, exact.lost) / bound);
                tightest_derivative = std::max(tightest_derivative, distance(rough.second, exact.second) / bound);
                // The enclosure made of it holds what it must.
                const RaceValues enclosed = race_values(law, exp(Ball(u)));
                REQUIRE(distance(enclosed.lost, exact.lost) == 0);
                REQUIRE(distance(enclosed.first, exact.first) == 0);
                REQUIRE(distance(enclosed.second, exact.second) == 0);
                // e^-wanted without the factors that stand before it in theorem 2 is no bound.
                const double y = std::min(1.5 / width, 3.0), h = normal_spacing(width, coarse);
                const double naive = 2 * std::exp(-2 * 3.14159 * y / h) * middle(exact.lost);
                if (distance(rough.second, exact.second) > naive) beaten_without_prefactor = true;
            }
    CHECK(tightest > 1e-3);
    CHECK(tightest_derivative > 1e-3);
    CHECK(beaten_without_prefactor);
}

TEST_CASE("mass left out of a rule is accounted for") {
    const WorkingPrecision precision(160);
    RateLaw law = rate_law({{Ball(0), {Ball(1.0)}}}, {3.0, 2});
    const RaceValues whole = race_values(rate_law({{Ball(0), {Ball(1.0)}}}, fine), Ball(1e6));
    // At a late time lost is the mass itself; what the short rule misses is positive and within its cut and error.
    const Ball missing = whole.lost - bare(law, Ball(1e6)).lost;
    CHECK(std::abs(middle(missing)) <= (law.cut + law.error * whole.lost).upper_double());
    CHECK(law.cut.upper_double() > 1e-6);
}

TEST_CASE("the rule for times is as good as theorem 3 says and not much better") {
    // Rates all 1: S = N = (L-1)/L, and only the rule in u has an error.
    const WorkingPrecision precision(120);
    for (const std::int64_t tokens : {2, 3, 10, 1000}) {
        double tightest = 0;
        for (const double exponent : {0.5, 1.0, 2.0, 4.0, 8.0}) {
            CAPTURE(tokens, exponent);
            const RaceGoal goal{exponent, tokens};
            const RateLaw one = rate_law({{Ball(0), {Ball(0)}}}, goal);
            const OneRace race{one, [&](const Ball& time) { return race_lost(one, time); }, Ball(0)};
            const Ball truth = Ball(tokens - 1) / Ball(tokens);
            const RaceIntegrals integrals = race_integrals(race, goal);
            REQUIRE(distance(integrals.both, truth) == 0);
            REQUIRE(distance(integrals.misses, truth) == 0);
            // The sum itself, over a range of its own that leaves nothing out.
            const TimeRule rule = time_rule(goal);
            Ball sum(0);
            for (std::int64_t j = -200; j < 60; ++j) {
                const Ball time = exp(rule.at(j));
                const RaceValues at = race_values(one, time);
                Ball kernel = Ball(2 * (tokens - 1)) * at.second * survival_power(at.lost, tokens - 2);
                if (tokens > 2)
                    kernel +=
                        Ball((tokens - 1) * (tokens - 2)) * at.first * at.first * survival_power(at.lost, tokens - 3);
                sum += Ball(rule.spacing) * survival_power(at.lost, 1) * kernel;
            }
            const double error = std::abs(middle(sum - truth));
            REQUIRE(error <= (rule.error * truth).upper_double());
            tightest = std::max(tightest, error / (rule.error * truth).upper_double());
            // Nothing of that is rounding or range.
            REQUIRE(error > 1e-20);
        }
        CHECK(tightest > 1e-4);
    }
}

TEST_CASE("ends of the lattice in time hold less than theorem 4 says and not much less") {
    const WorkingPrecision precision(160);
    for (const std::int64_t tokens : {2, 5, 1'000'000})
        for (const double width : {0.0, 1.0, 3.0})
            for (const double competitor : {0.0, 2.0}) {
                CAPTURE(tokens, width, competitor);
                const RaceGoal goal{1, tokens};
                const RateLaw null = rate_law({{Ball(0), {Ball(width)}}}, {70, tokens});
                const RateLaw relevant = rate_law({{Ball(0.5), {Ball(width)}}}, {70, tokens});
                const OneRace race{null, [&](const Ball& time) { return race_lost(relevant, time); }, Ball(competitor)};
                const TimeRule rule = time_rule(goal);
                const TimeRange range = time_range(race, rule, goal);
                REQUIRE(rule.spacing <= 1);
                // Terms of S and N.
                const auto terms = [&](std::int64_t j) {
                    const Ball time = exp(rule.at(j)), e = time * Ball(competitor), others(tokens - 1);
                    const RaceValues at = race_values(null, time);
                    const Ball all = survival_power(at.lost, tokens - 1), but_one = survival_power(at.lost, tokens - 2);
                    Ball kernel = Ball(2) * others * (at.second + at.first * e) * but_one + e * e * all;
                    if (tokens > 2)
                        kernel += others * Ball(tokens - 2) * at.first * at.first * survival_power(at.lost, tokens - 3);
                    const Ball measure = Ball(rule.spacing) * survival_power(race_lost(relevant, time), 1) * exp(-e);
                    return std::pair{measure * (others * at.first * but_one + e * all), measure * kernel};
                };
                Ball misses(0), both(0);
                for (std::int64_t j = 1; j < 60; ++j)
                    for (const std::int64_t node : {range.first - j, range.last + j}) {
                        const auto [miss, pair] = terms(node);
                        misses += miss;
                        both += pair;
                    }
                REQUIRE(misses.upper_double() <= range.cut.upper_double());
                REQUIRE(both.upper_double() <= range.cut.upper_double());
                CHECK(misses.lower_double() >= 0.01 * range.cut.upper_double());
            }
}

TEST_CASE("Mellin sums keep theorem 5, and agree with an integral over the radius") {
    const WorkingPrecision precision(200);
    double tightest = 0;
    for (const double v : {0.5, 4.0, 30.0}) {
        const std::vector<Ball> variances{Ball(v), Ball(v)};
        const MellinRace rough(variances, {-18, 2}), exact(variances, {60, 2});
        for (const double u : {-8.0, -1.0, 0.0, 2.0, 4.0}) {
            CAPTURE(v, u);
            const RaceValues a = rough.at(Ball(u)), b = exact.at(Ball(u));
            // Of the rough sum only its ball is known here: the truth must lie in it, off its centre by more than
            // rounding.
            REQUIRE(distance(a.lost, b.lost) == 0);
            REQUIRE(distance(a.first, b.first) == 0);
            const double radius = (a.lost.upper_double() - a.lost.lower_double()) / 2;
            tightest = std::max(tightest, std::abs(middle(a.lost) - middle(b.lost)) / radius);
            // |x|^2 / 2 is exponential in two dimensions.
            boost::math::quadrature::exp_sinh<double> integrator;
            const auto lost = [&](double rho) {
                const double y = std::exp(u) / (1 + v) * std::exp(std::min(v / (1 + v) * rho, 600.0));
                return std::exp(-rho) * -std::expm1(-y);
            };
            CHECK(middle(b.lost) == Approx(integrator.integrate(lost, 1e-13)).epsilon(1e-10));
        }
    }
    CHECK(tightest > 1e-4);
}

TEST_CASE("certified Bayes risks contain all values known from elsewhere") {
    std::ifstream file(LEMMATA_TEST_DATA "/bayes.json");
    for (const auto& known : nlohmann::json::parse(file)) {
        CAPTURE(known.dump());
        const auto strengths = known["strengths"].get<std::vector<double>>();
        const std::string kind = known["kind"];
        const Prior prior = kind == "spikes" ? Prior::spikes(known["features"], strengths[0])
                            : kind == "flipping-spike"
                                ? Prior::flipping_spike(strengths[0], strengths[1])
                                : Prior::gaussian(Eigen::Map<const Eigen::VectorXd>(
                                      strengths.data(), static_cast<Eigen::Index>(strengths.size())));
        const bool twice = known.contains("twice_risk");
        const std::string text = known[twice ? "twice_risk" : "risk"];
        const Digits50 unit = pow(Digits50(10), -static_cast<int>(text.size() - 2));
        const Enclosure risk = bayes_risk_certified(prior, known["tokens"], twice ? 30 : 12);
        CHECK(meets(risk, Digits50(text) / (twice ? 2 : 1), unit));
        CHECK_FALSE(meets(risk, Digits50(text) / (twice ? 2 : 1) + 5 * unit, unit));  // as sharp as what is known
        CHECK(significant_digits(risk) >= (twice ? 30 : 12));
    }
}

TEST_CASE("certified Bayes risks agree with the fast ones, up to a thousand million tokens") {
    for (const std::int64_t tokens : {2, 3, 1'000'000'000})
        for (const Prior& prior :
             {Prior::spike(0), Prior::spike(0.01), Prior::spike(30), Prior::spikes(7, 5),
              Prior::gaussian(Eigen::Vector3d(20, 3, 0.1)),
              Prior::mixture({{0.8, Eigen::VectorXd::Constant(1, 1.5), Eigen::MatrixXd::Zero(1, 1)},
                              {0.2, Eigen::VectorXd::Constant(1, -0.7), Eigen::MatrixXd::Zero(1, 1)}})}) {
            const Estimate fast = bayes_risk(prior, tokens).risk;
            const Enclosure risk = bayes_risk_certified(prior, tokens);
            CAPTURE(tokens, prior.mean(), prior.covariance(), risk.lower, fast.value, fast.error);
            CHECK(fast.value + margin(fast) >= risk.lower_double);
            CHECK(fast.value - margin(fast) <= risk.upper_double);
        }
    // W = 1: nothing can be learnt, and the risk is (L-1)/L exactly.
    CHECK(contains(bayes_risk_certified(Prior::spike(0), 3, 30), Digits50(2) / 3));
}

TEST_CASE("certified losses contain the reference path") {
    // Without the strengths, so that both speak of the same rounded atoms.
    const auto rounded = [](CornerState corner) {
        corner.problem.prior = Prior::mixture(corner.problem.prior.components());
        return corner;
    };
    for (const std::uint64_t seed : {5U, 6U}) {  // one head, 50-digit arithmetic
        const CornerState corner = rounded(corner_state(seed, 1, 2));
        CAPTURE(corner.name);
        const Enclosure loss = loss_certified(corner.problem, corner.state, 20);
        const auto reference = loss_reference<Digits50>(corner.problem, state_of<Digits50>(corner.state), 21);
        CHECK(meets(loss, reference, Digits50(1e-20)));
        CHECK(significant_digits(loss) >= 20);
    }
    for (const std::uint64_t seed : {4U, 11U}) {  // two heads; double carries the reference to about 2e-13
        const CornerState corner = rounded(corner_state(seed, 2, 2));
        CAPTURE(corner.name);
        const Enclosure loss = loss_certified(corner.problem, corner.state, 14);
        CHECK(meets(loss, Digits50(loss_reference<double>(corner.problem, state_of<double>(corner.state), 13)),
                    Digits50(2e-13)));
    }
}

TEST_CASE("certified losses meet the fast engine within its error") {
    for (std::uint64_t seed = 1000; seed < 1060; ++seed) {
        const CornerState corner = corner_state(seed, seed < 1050 ? 1 : 2, 2);
        const Enclosure loss = loss_certified(corner.problem, corner.state);
        const Estimate fast = loss_exact(corner.problem, corner.state).loss;
        CAPTURE(corner.name, loss.lower, loss.upper, fast.value, fast.error);
        CHECK(fast.value + margin(fast) >= loss.lower_double);
        CHECK(fast.value - margin(fast) <= loss.upper_double);
        // A value that is wrong in the ninth digit is not in it.
        CHECK_FALSE((fast.value * (1 + 2e-9) >= loss.lower_double && fast.value * (1 + 2e-9) <= loss.upper_double));
    }
}

TEST_CASE("Bayes-softmax at the corrected bias cannot be told from the Bayes risk, at the printed bias it can") {
    const Prior prior = Prior::mixture({{0.8, Eigen::VectorXd::Constant(1, 1.5), Eigen::MatrixXd::Zero(1, 1)},
                                        {0.2, Eigen::VectorXd::Constant(1, -0.7), Eigen::MatrixXd::Zero(1, 1)}});
    const Problem problem{Activation::bayes_softmax, 5, prior};
    const Enclosure risk = bayes_risk_certified(prior, 5, 14);
    const Enclosure corrected = loss_certified(problem, heads_at_atoms(prior, AtomBias::corrected), 14);
    const Enclosure printed = loss_certified(problem, heads_at_atoms(prior, AtomBias::printed), 14);
    // Biases are rounded to doubles, which changes the loss by the square of that.
    CHECK(meets(corrected, Digits50(risk.lower), Digits50(1e-15)));
    CHECK(printed.lower_double > risk.upper_double + 0.006);
    CHECK(printed.lower_double == Approx(0.5971796835).epsilon(1e-10));
}

TEST_CASE("what cannot be certified is refused by name") {
    const auto complaint = [](const auto& action) -> std::string {
        try {
            action();
        } catch (const InvalidInput& e) {
            return e.what();
        }
        return "";
    };
    using Catch::Matchers::StartsWith;
    const Prior spike = Prior::spike(1);
    CHECK_THAT(complaint([&] { bayes_risk_certified(spike, 2, 0); }), StartsWith("--digits: 0"));
    CHECK_THAT(complaint([&] { bayes_risk_certified(spike, 2, 31); }), StartsWith("--digits: 31"));
    CHECK_THAT(complaint([&] { bayes_risk_certified(spike, 1); }), StartsWith("model.tokens: 1"));
    CHECK_THAT(complaint([&] { bayes_risk_certified(spike, 1'000'000'001); }), StartsWith("model.tokens: "));
    const Prior mixed = Prior::mixture({{1, Eigen::Vector2d(1, 2), Eigen::Matrix2d::Identity()}});
    CHECK_THAT(complaint([&] { bayes_risk_certified(mixed, 2); }), StartsWith("prior: "));
    const Prior solid = Prior::mixture({{0.5, Eigen::Vector3d(1, 2, 3), Eigen::Matrix3d::Zero()},
                                        {0.5, Eigen::Vector3d(1, 1, 1), Eigen::Matrix3d::Zero()}});
    CHECK_THAT(complaint([&] { bayes_risk_certified(solid, 2); }), StartsWith("prior: "));
    CHECK_THAT(complaint([&] {
                   loss_certified({Activation::softmax, 2, spike}, zero_state(5, 1));
               }),
               StartsWith("state.m: 5 heads"));
    CHECK_THAT(complaint([&] {
                   loss_certified({Activation::softmax, 2, Prior::spikes(4, 1)}, zero_state(1, 4));
               }),
               StartsWith("prior: 4 components"));
    CHECK_THAT(complaint([&] {
                   loss_certified({Activation::bayes_softmax, 2, spike}, random_state(2, 1, 1, 0, 1));
               }),
               StartsWith("state.r: "));
}
