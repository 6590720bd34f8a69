// Prop. IV.1 derived for one Gaussian component of the prior [2603.03993v1, eqs. (15)-(16)].
//
// Four identities, each decided as an equality of rational functions:
//   likelihood   log P(X_l | signal theta) - log P(X_l | no signal) = theta.t - theta^T p theta / 2, with
//                t = k* X_l and p = k* k*^T (so the posterior of eps is proportional to its average over theta);
//                two features in three dimensions, all entries symbolic;
//   square       theta t - p theta^2 / 2 - (theta - mu)^2 / (2 V) = -A (theta - c)^2 / 2 + e,
//                A = 1/V + p, c = (t + mu/V) / A;
//   exponent     e is the exponent of N(t; p mu, p + p V p) / N(t; 0, p);
//   determinant  V A = (p + p V p) / p, the squared ratio of the normalisations.
// The last three are for one feature, which is enough: a congruence diagonalises a positive p and a V
// at once, and everything factorises over its coordinates. Together: the integral of
// e^{theta.t - theta^T p theta / 2} over N(mu, V) is that ratio of densities, which likelihood_ratio.hpp
// evaluates. Mixtures follow by linearity, atoms by V -> 0.
//
// `printed` asks the same as `likelihood` with |theta|^2 in place of theta^T p theta, as eq. (16) has it:
// false at finite D (the answer comes with a witness).
#pragma once

#include <lemmata/symbolic/equality.hpp>

namespace lemmata::symbolic {

struct PosteriorDerivation {
    Equality likelihood;
    Equality square;
    Equality exponent;
    Equality determinant;
    Equality printed;
};

PosteriorDerivation derive_posterior();

}  // namespace lemmata::symbolic
