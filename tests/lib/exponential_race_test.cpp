#include <lemmata/error.hpp>
#include <lemmata/exponential_race.hpp>

#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;

namespace {

// W = `low` and `high` with probability one half each.
RaceTransform two_point(const RaceGrid& lattice, double low, double high) {
    RaceTransform t(lattice.count);
    for (int j = 0; j < lattice.count; ++j) {
        const double a = std::exp(lattice.at(j)) * low, b = std::exp(lattice.at(j)) * high;
        t.log_survival[j] = std::log1p((std::expm1(-a) + std::expm1(-b)) / 2);
        t.first[j] = (a * std::exp(-a) + b * std::exp(-b)) / 2;
        t.second[j] = (a * a * std::exp(-a) + b * b * std::exp(-b)) / 2;
    }
    t.relative_error.setConstant(1e-15);
    t.log_error = 1e-15 * t.log_survival.abs();
    return t;
}

}  // namespace

TEST_CASE("race risk of tokens that say nothing is one minus one over L") {
    for (const std::int64_t tokens : {2, 3, 17, 1'000'000}) {
        const RaceRisk risk = race_risk([](const RaceGrid& l) { return two_point(l, 1, 1); }, tokens, 1e-10);
        const double expected = 1 - 1 / static_cast<double>(tokens);
        CHECK(std::abs(risk.missed.value - expected) <= risk.missed.error);
        CHECK(std::abs(risk.squared.value - expected) <= risk.squared.error);
        CHECK(risk.missed.error < 2e-11);
    }
}

TEST_CASE("race risk of two-valued ratios is a finite sum") {
    // Null: W = 1/2 or 3/2 evenly; relevant: probabilities 1/4 and 3/4, as E_rel f = E_null W f.
    const double values[] = {0.5, 1.5};
    double missed = 0, squared = 0;
    for (int e = 0; e < 2; ++e)
        for (int a = 0; a < 2; ++a)
            for (int b = 0; b < 2; ++b) {
                const double total = values[e] + values[a] + values[b];
                const double weight = (e == 1 ? 0.75 : 0.25) / 4;
                missed += weight * (values[a] + values[b]) / total;
                squared += weight *
                           (std::pow(values[a] + values[b], 2) + values[a] * values[a] + values[b] * values[b]) /
                           (total * total);
            }
    CHECK(missed == Approx(squared).epsilon(1e-15));
    const RaceRisk risk = race_risk([](const RaceGrid& l) { return two_point(l, 0.5, 1.5); }, 3, 1e-10);
    CHECK(std::abs(risk.missed.value - missed) <= risk.missed.error);
    CHECK(std::abs(risk.squared.value - squared) <= risk.squared.error);
    // A control: values that are no likelihood ratio (mean not 1) break Nishimori.
    const RaceRisk wrong = race_risk(
        [](const RaceGrid& l) {
            RaceTransform t = two_point(l, 0.5, 1.5);
            t.second *= 1.001;
            return t;
        },
        3, 1e-10);
    CHECK(std::abs(wrong.squared.value - wrong.missed.value) > 1e-5);
}

TEST_CASE("the discretisation bound of the race covers what happens") {
    const auto law = [](const RaceGrid& l) { return two_point(l, 0.2, 1.8); };
    const double truth = race_risk(law, 4, 1e-13).missed.value;
    for (const double step : {0.6, 0.9, 1.2}) {
        double sum = 0;
        const RaceGrid lattice{-40, step, static_cast<int>(80 / step)};
        const RaceTransform t = law(lattice);
        for (int j = 0; j < lattice.count; ++j)
            sum += step * 3 * std::exp(-lattice.at(j) + 2 * t.log_survival[j]) * t.first[j] * t.first[j];
        CHECK(std::abs(sum - truth) <= truth * race_discretisation(step, 1) + 1e-13);
        CHECK(race_discretisation(step, 1) < 0.2);
    }
    CHECK(race_discretisation(0.25, 2) < 1e-13);
}

TEST_CASE("sums of independent runners multiply") {
    const RaceGrid lattice{-5, 0.5, 12};
    const RaceTransform a = two_point(lattice, 0.5, 1.5), b = two_point(lattice, 1, 1);
    const RaceTransform ab = sum(a, b), shifted = two_point(lattice, 1.5, 2.5);
    CHECK((ab.log_survival - shifted.log_survival).abs().maxCoeff() < 1e-13);
    CHECK((ab.first / shifted.first - 1).abs().maxCoeff() < 1e-12);
    CHECK((ab.second / shifted.second - 1).abs().maxCoeff() < 1e-12);
    CHECK((sum_of_copies(b, 3).first - two_point(lattice, 3, 3).first).abs().maxCoeff() < 1e-14);
}

TEST_CASE("race inputs are checked") {
    const auto law = [](const RaceGrid& l) { return two_point(l, 1, 1); };
    CHECK_THROWS_AS(race_risk(law, 1, 1e-10), InvalidInput);
    CHECK_THROWS_AS(race_risk(law, 2, 0), InvalidInput);
}
