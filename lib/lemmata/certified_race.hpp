// Races [race_integrals.hpp] in ball arithmetic. Theorem numbers are those of docs/certified.md.
//
// A token's rate is w = sum_h e^{x_h}, the x_h affine in one or two standard normal variables. At time e^u, with
// y = e^u w: lost = E[1 - e^-y] = 1 - phi, first = E[y e^-y], second = E[y^2 e^-y]. Not part of the installed
// interface.
#pragma once

#include <lemmata/ball.hpp>
#include <lemmata/enclosure.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace lemmata {

// What one attempt aims at: errors of about e^-exponent, relative to what is integrated.
struct RaceGoal {
    double exponent;
    std::int64_t tokens;
    [[nodiscard]] double with_tokens() const;  // exponent + log L
};

// E f(Z) for a standard normal Z by the trapezoid rule. `error` is the constant of theorem 2 for functions of
// rates in which Z has factors of at most `width`; `cut` the mass of the nodes left out. width 0: one node, exact.
struct NormalRule {
    std::vector<Ball> nodes, weights;
    Ball error, cut;
};
NormalRule normal_rule(double width, const RaceGoal& goal);
NormalRule normal_rule(double width, const Ball& spacing, const RaceGoal& goal);
double normal_spacing(double width, const RaceGoal& goal);  // the one that reaches the goal

// x = shift + sum_f slopes_f Z_f.
struct AffineScore {
    Ball shift;
    std::vector<Ball> slopes;
};

struct RateLaw {
    std::vector<Ball> rates, weights;
    Ball error, cut;
    Ball mean;  // E w
};
RateLaw rate_law(const std::vector<AffineScore>& scores, const RaceGoal& goal);

struct RaceValues {
    Ball lost, first, second;
};
RaceValues race_values(const RateLaw& law, const Ball& time);
// At one rate: lost = 1 - e^-y and running = e^-y.
void race_point(const Ball& y, Ball& lost, Ball& running);
Ball race_lost(const RateLaw& law, const Ball& time);

// (1 - lost)^n for a probability.
Ball survival_power(const Ball& lost, std::int64_t n);

// The lattice u = j * spacing with the constant of theorem 3.
struct TimeRule {
    double spacing;
    Ball error;
    [[nodiscard]] Ball at(std::int64_t j) const;
};
TimeRule time_rule(const RaceGoal& goal);

// S / (1 +- error): the integral, from the rule's sum of nonnegative terms.
Ball integral_from_sum(const Ball& sum, const Ball& error);

// One race among the null tokens and a competitor of rate e^b (softmax-1; 0 otherwise), and the relevant token.
struct OneRace {
    RateLaw null;
    std::function<Ball(const Ball& time)> relevant_lost;
    Ball competitor;  // e^b
};

// Nodes first..last, and what theorem 4 says of the others: for one axis of a pair integral, and for N_ii.
struct TimeRange {
    std::int64_t first, last;
    Ball cut;
};
TimeRange time_range(const OneRace& race, const TimeRule& rule, const RaceGoal& goal);

// S_i and N_ii of race_integrals.hpp.
struct RaceIntegrals {
    Ball misses, both;
};
RaceIntegrals race_integrals(const OneRace& race, const RaceGoal& goal);

// Calls compute(goal) at rising precision until the ball has `digits` significant digits; Unfinished if it never has.
Enclosure enclose(int digits, std::int64_t tokens, const std::function<Ball(const RaceGoal&)>& compute);

}  // namespace lemmata
