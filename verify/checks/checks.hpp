// One function for each result of the paper; verify/lemmata/verify/check.cpp lists them all.
#pragma once

#include <lemmata/verify/check.hpp>
#include <lemmata/verify/claim.hpp>

namespace lemmata::verify::checks {

// All formulas and signs printed in App. A.2, symbolically. Their claims come from the same table,
// unless verify/claims/ words one of them (same id) better.
std::vector<Check> appendix_a2();
std::vector<Claim> appendix_a2_claims();

std::vector<Check> definitions();  // eqs. (1)-(7), (17), (21): what we compute is what is defined
std::vector<Check> lemma_a1();     // the unspecialized manifold
std::vector<Check> lemma_a2();     // the gradient in m on it
std::vector<Check> lemma_a3();     // gradient in r at r = 0
std::vector<Check> lemma_a4();     // gradients in b and v at m = r = 0, softmax-1
std::vector<Check> lemma_a5();     // the Hessian before specialization (Lemma III.1)
std::vector<Check> lemma_a6();     // the Hessian during specialization (Lemma III.2)
std::vector<Check> prop_iii1();    // the loss as a function of the order parameters
std::vector<Check> prop_iii2();    // which flow SGD follows
std::vector<Check> prop_iii3();    // the unspecialized phase
std::vector<Check> prop_iii4();    // the specialization phase
std::vector<Check> prop_iv1();     // the Bayes estimator
std::vector<Check> prop_iv2();     // Bayes-softmax reaches the Bayes risk
std::vector<Check> prop_iv3();     // what softmax and softmax-1 can express
std::vector<Check> text();         // sentences that name a number

}  // namespace lemmata::verify::checks
