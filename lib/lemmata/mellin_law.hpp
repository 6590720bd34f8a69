// The law of the likelihood ratio of one Gaussian component, in any number of features.
//
// In the covariance's eigenbasis, with variances v_f and means mu_f, a = v / (1 + v), the null law
// x ~ N(0, I) gives the moments of W = w(x) in closed form, for complex order:
//     E W^{-p} = prod_f (1 + v)^{p/2} (1 + p a)^{-1/2} exp(p mu^2 / (2 (1 + v)) + p^2 mu^2 / (2 (1 + v)^2 (1 + p a))).
// (log W is a constant plus a weighted sum of squares of normals; this is its moment generating
// function.) Mellin's inversion turns them into the race transform of exponential_race.hpp,
//     A(u) = (1 / 2 pi i) int_{c - i oo}^{c + i oo} Gamma(p + 1) e^{-p u} E W^{-p} dp,   c > -1,
// with a factor p + 1 for B, and 1 / p for phi (c > 0) or phi - 1 (-1 < c < 0). One integral on a
// line, whatever F: 1-d quadrature for the isotropic and the non-isotropic Gaussian, and for an atom.
//
// The line goes near the saddle point of the integrand for each u, so the result keeps its relative
// accuracy where it is small. The trapezoid rule's spacing comes from its error bound with |Gamma|
// and E W^{-p} on lines at distance a (both largest on the real axis), a optimised; the poles at
// p = 0 and p = -1 have known residues and are accounted for exactly. Relative error about 1e-14.
#pragma once

#include <lemmata/exponential_race.hpp>
#include <lemmata/prior.hpp>

#include <Eigen/Core>

namespace lemmata {

class MellinLaw {
public:
    // The law of weight * w(x) with w the likelihood ratio of N(mean, covariance).
    explicit MellinLaw(const Component& component);

    [[nodiscard]] RaceTransform transform(const RaceGrid& lattice) const;

    // E w^order under the null law, w without the weight; finite for order < 1 + 1 / max v.
    [[nodiscard]] double log_moment(double order) const;

    // Whether two laws are the same function up to rounding, so that one transform serves both.
    [[nodiscard]] bool same_as(const MellinLaw& other) const;

private:
    double log_weight_;
    Eigen::ArrayXd variances_;  // v_f, sorted
    Eigen::ArrayXd squares_;    // mu_f^2 in the same basis
};

}  // namespace lemmata
