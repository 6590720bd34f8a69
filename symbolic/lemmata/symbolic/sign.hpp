// Proofs of the sign of a rational function over a whole range, with certificates.
//
// The expression is factored; each polynomial factor is shifted to the corner of the domain
// (L = 3 + y, ...), and its sign follows from
//   coefficients  all coefficients of the shifted polynomial have that sign; strictly, if a term
//                 survives in the corner (a constant, or powers of variables > 0 only); or
//   Sturm         one variable is left, and its Sturm chain counts no zero beyond the corner; or
//   cases         for one integer variable: its first few values one by one, then the rest.
// Denominators must be shown nonzero. A sign that changes is shown by two points of the domain
// with exact values of either sign. Everything else is unknown: never a guess.
#pragma once

#include <lemmata/symbolic/domain.hpp>
#include <lemmata/symbolic/factored.hpp>

#include <string>
#include <vector>

namespace lemmata::symbolic {

enum class Sign { unknown, changes, zero, positive, negative, nonnegative, nonpositive };
std::string_view name(Sign sign);  // "> 0", ">= 0", "= 0", "changes", "unknown", ...

enum class SignMethod { coefficients, sturm };

struct SignCase {
    Domain domain;  // the factor's domain, or one case of it
    SignMethod method = SignMethod::coefficients;
    GiNaC::ex shifted;  // the factor in variables counted from the corner
    Sign sign = Sign::unknown;
};

struct FactorSign {
    GiNaC::ex factor;
    int exponent = 1;
    Sign sign = Sign::unknown;
    std::vector<SignCase> cases;  // together they cover the domain
};

struct SignCertificate {
    GiNaC::ex expression;
    Domain domain;
    GiNaC::numeric coefficient = 0;
    std::vector<FactorSign> factors;
    Sign sign = Sign::unknown;
    GiNaC::exmap positive_at, negative_at;  // for a sign that changes
};

SignCertificate prove_sign(const GiNaC::ex& e, const Domain& domain);

// Whether the certificate proves what it says: the factors multiply to the expression, the cases
// cover the domain, every shift is right and every coefficient or chain has the claimed sign.
bool recheck(const SignCertificate& certificate);

// The exact condition behind a sign that changes: if all factors but one are shown to have a strict
// sign, the expression has everywhere the sign of the polynomial returned.
std::optional<GiNaC::ex> deciding_polynomial(const SignCertificate& certificate);

// A few lines for people.
std::string print(const SignCertificate& certificate);

// The sign for each number of tokens: maximal runs L = first..last (last = 0: and beyond).
struct SignRun {
    int first = 0, last = 0;
    SignCertificate certificate;
};
std::vector<SignRun> sign_by_tokens(const GiNaC::ex& e, const Domain& domain, const GiNaC::ex& L, int most = 16);

}  // namespace lemmata::symbolic
