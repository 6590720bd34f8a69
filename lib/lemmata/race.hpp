// The exponential race and its Gaussian smoothing.
//
// A runner of score x has not finished at time e^u with probability g(u + x), g(x) = exp(-e^x). If
// its score is x + s Z, Z ~ N(0, 1), it has finished by then with probability
//     lost_s(u + x) = E[1 - g(u + x + s Z)],
// which with its derivatives is all that the loss of softmax and softmax-1 is made of.
//
// lost_s is computed with relative, not only absolute, accuracy where it is small: with L tokens
// its (L-1)-fold is used. The rule for Z is a lattice; with spacing h (in Z) its relative error is at most
//     2 sec(s y) e^{y^2/2} / (e^{2 pi y/h} - 1)   for every 0 < y < pi/(2 s),
// since |1 - exp(-e^{x+iy})| <= sec(y) (1 - exp(-cos(y) e^x)): docs/accuracy.md.
// Narrow laws take a short Gauss-Hermite rule instead. Cost: one exponential for each point and node; for many
// points, the law is applied in two steps of half the variance, and the second step costs about 30
// multiplications, but no exponential, for each value.
#pragma once

#include <lemmata/quadrature_rule.hpp>

#include <Eigen/Core>

namespace lemmata {

// A rule for Z that gives E f(x + s Z) to `accuracy` relative to sup |f| in its strip, f one of the
// race functions smoothed beforehand by `smooth` (0: bare). Tails beyond `tail` mass are cut.
QuadratureRule smoothing_rule(double s, double smooth, double accuracy, double tail);

// The spacing of a lattice for E[f(x + s Z) He_n(Z)] / sqrt(n!), frequency = sqrt(n).
double smoothing_spacing(double s, double accuracy, double frequency);

// The same for a product of two race functions of arguments x1 + s1 Z and x2 + s2 Z.
QuadratureRule smoothing_rule(double s1, double smooth1, double s2, double smooth2, double accuracy, double tail);

// Below `low` lost_s is 0, above `high` it is 1, both to less than `tail`: derivatives are 0.
struct RaceSupport {
    double low, high;
};
RaceSupport race_support(double s, double tail);

// lost_s and its derivatives at points_a + shifts_k, points ascending and shifts equally spaced, stacked: row d n + a
// of column k holds the d-th derivative, n = points.size(), d < derivatives <= 5. Relative accuracy of lost_s; each
// derivative loses about a digit of it.
void smoothed_race(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, double s, double accuracy, double tail,
                   int derivatives, Eigen::Ref<Eigen::MatrixXd> values);

// The same for s = 0.
void bare_race(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, int derivatives,
               Eigen::Ref<Eigen::MatrixXd> values);

}  // namespace lemmata
