// Expectations of ratios of sums, 1/Z = int e^u e^{-e^u Z} du, when Z is a sum of independent terms.
//
// The picture is a race: runner l arrives after an exponential time of rate W_l, and W_l / Z is the
// probability that l wins. For one positive random variable W, at s = e^u and with Y = s W,
//     survival phi(u) = E e^{-Y},   first A(u) = E Y e^{-Y} = -s phi'(s),   second B(u) = E Y^2 e^{-Y} = s^2 phi''(s)
// are all that is needed. Sums of independent terms multiply the survivals.
//
// The Bayes posterior is P_l = W_l / Z with W_l the likelihood ratios of the tokens, and a likelihood
// ratio turns the null law into the relevant one: E_rel f(W) = E_null W f(W). So the null law's
// (phi, A, B) alone give the Bayes risk of L tokens, in two forms
//     1 - E P_eps              = (L-1) int e^{-u} A^2 phi^{L-2} du,
//     E sum_l (delta - P_l)^2  = (L-1) int e^{-u} A (2 B phi^{L-2} + (L-2) A^2 phi^{L-3}) du,
// whose equality (Nishimori) is an integration by parts. All terms are positive: nothing cancels,
// and the cost does not depend on L.
//
// Error of the trapezoid rule with spacing h. On |Im u| = a < pi/2 the modulus of Y e^{-Y} is at most
// that of its value at Re u + log cos a, divided by cos a; a translation does not change an integral
// over the line. So [Trefethen & Weideman 2014, Thm 5.1] bounds the relative error of the forms by
//     min_a 2 / ((cos a)^k (e^{2 pi a / h} - 1)),   k = 1 and k = 2,
// whatever the prior and L. Tails: |phi'| <= 1 bounds the left one by (L-1)(1 - phi), and
// (L-1) int |phi'| phi^{L-2} <= phi^{L-1} the right one by |phi'| phi^{L-1}.
#pragma once

#include <lemmata/estimate.hpp>

#include <Eigen/Core>
#include <cstdint>
#include <functional>

namespace lemmata {

struct RaceGrid {
    double first = 0;
    double step = 0.25;
    int count = 0;
    [[nodiscard]] double at(int j) const { return first + j * step; }
};

// phi, A, B at the points of a lattice, with errors: relative for A and B, absolute for log phi
// (so relative for phi).
struct RaceTransform {
    Eigen::ArrayXd log_survival;
    Eigen::ArrayXd first;
    Eigen::ArrayXd second;
    Eigen::ArrayXd relative_error;
    Eigen::ArrayXd log_error;

    explicit RaceTransform(Eigen::Index count)
        : log_survival(count), first(count), second(count), relative_error(count), log_error(count) {}
};

// The transform of the sum of two independent variables, and of `copies` equal independent ones.
RaceTransform sum(const RaceTransform& a, const RaceTransform& b);
RaceTransform sum_of_copies(const RaceTransform& a, int copies);

// Lattices that race_risk asks for have spacings that are multiples of this, and start at one.
inline constexpr double race_grain = 0.05;

using RaceLaw = std::function<RaceTransform(const RaceGrid&)>;

struct RaceRisk {
    Estimate missed;   // 1 - E P_eps
    Estimate squared;  // E sum_l (delta_{l,eps} - P_l)^2
};

// Both forms for L >= 2 tokens; `tolerance` sets spacing and range, the errors say what was reached.
RaceRisk race_risk(const RaceLaw& null_law, std::int64_t tokens, double tolerance);

// The bound above: relative error of the trapezoid rule with spacing h for k moduli 1/cos a.
double race_discretisation(double step, int k);

// u below which the integrals are smaller than race_risk's share of `tolerance`.
double race_left_end(std::int64_t tokens, double tolerance);

}  // namespace lemmata
