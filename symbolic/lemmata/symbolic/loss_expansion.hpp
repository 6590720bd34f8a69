// The population loss near the unspecialized point, term by term, from its definition.
//
// Null tokens have scores N(0, q), q = m m' + R; the relevant token has s + N(0, q), s = m theta
// [2603.03993v1, eqs. (10)-(11)]. A Gaussian average is exp of half the covariance applied to
// derivatives, so with Phi the integrand of score_derivatives.hpp
//
//   E(m, R, b + db, v + dv) = E_theta exp( (1/2) sum_l q_hh' d_hl d_h'l + s_h d_h1 + db_h d/db_h + dv d/dv ) Phi,
//
// at scores 0. The operators commute: the part of degree i in q, j in s, k in db, n in dv is their
// product over 2^i i! j! k! n!, and is returned by head_invariants.hpp as monomial -> coefficient:
//   q_ab         null covariance
//   s_a, M_ab, K_abc, J_abcd   E s_a, E s_a s_b, E s_a s_b s_c, ... of the relevant token's signal
//   b_a, v       the changes of the biases and of the scale
// Order in m is 2i + j. Nothing is assumed of the prior but that its moments exist.
#pragma once

#include <lemmata/symbolic/head_invariants.hpp>
#include <lemmata/symbolic/score_derivatives.hpp>

namespace lemmata::symbolic {

struct Degree {
    int covariance = 0;  // in q
    int signal = 0;      // in s, up to 4
    int bias = 0;
    int scale = 0;
};

std::map<std::string, GiNaC::ex> loss_terms(ScoreDerivatives& derivatives, const Degree& degree);

// The part of degree two in u and two in w when two features with independent centred weights of
// variances V and W have overlaps u = m_{:f} and w = m_{:fbar}, and R = 0 [2603.03993v1, eq. (69)]:
// monomials "u_a u_a w_b w_b", ... Kurtosis does not enter.
std::map<std::string, GiNaC::ex> feature_interaction(ScoreDerivatives& derivatives);

// The part of degree two in u and three in w, per unit third moment of the learnt feature's weight
// (that is, of E theta_fbar^3): what the remainder of [2603.03993v1, eq. (58)] leaves out.
std::map<std::string, GiNaC::ex> skewed_interaction(ScoreDerivatives& derivatives);

}  // namespace lemmata::symbolic
