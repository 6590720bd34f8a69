// Every constant of [2603.03993v1, App. A.2], for any activation of the family.
//
//   c^(1)              -dE/dm_h per unit of E theta at m = r = 0 (22)
//   c_1^(2) .. c_5^(2) the quadratic form (37): E has c_1 1'q1 + (c_2 + c_4) 1'M1 - (c_3 + c_4) tr M
//                      + c_5 (b'1)^2, with q = m m' + R and M = m Cov(theta) m'; c_4 is (54), the part
//                      of the residual between different heads
//   c_6^(2)            the further term in tr q, 0 on the line L mean = 1
//   c_1^(4) .. c_3^(4) Hessian coefficients of (58): the quadratic form's twice
//   ct_1^(4).. ct_5^(4) its quadratic-form coefficients as in (66), (68): c_1 = 2 V ct_1,
//                      c_2 = 2 (ct_2 + V ct_3), c_3 = 2 (ct_4 + V ct_5)
//   ct_6^(4)           the part of c_1/2 without V, 0 for softmax: c_1 = 2 (ct_6 + V ct_1)
//   [monomial]         any other term of the expansion, named as in loss_expansion.hpp; among them
//                      the gradients [b_a], [v], the third order [K_aaa], ..., the r-sector
//                      [q_ab q_cd], ..., and M of (58): the [u_. u_. w_. w_.] with a letter that
//                      occurs once, so that they vanish for u'1 = w'1 = 0.
//
// Everything comes from loss_terms(), not from the paper's intermediate lines.
#pragma once

#include <lemmata/symbolic/loss_expansion.hpp>

#include <optional>

namespace lemmata::symbolic {

struct Constant {
    std::string key;      // "c_3^(2)", "[q_ab q_ac]"
    std::string latex;    // of the key
    std::string meaning;  // what it multiplies
    int order = 0;
    GiNaC::ex value;
};

// The scale v at which L mean = 1 (softmax-1: L v = L + e^b, Lemma A.4), if sigma is proportional to v.
std::optional<GiNaC::ex> scale_on_line(ScoreDerivatives& derivatives);

// The constants of the given orders (1 to 4). With on_line, v is replaced by scale_on_line.
std::vector<Constant> constants(ScoreDerivatives& derivatives, const std::vector<int>& orders, bool on_line = true);

const Constant& find_constant(const std::vector<Constant>& list, std::string_view key);  // throws InvalidInput

}  // namespace lemmata::symbolic
