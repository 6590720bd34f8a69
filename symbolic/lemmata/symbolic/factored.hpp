// A canonical factored form of rational functions: coefficient * product of powers of polynomials.
//
// GiNaC's term order changes from run to run, so nothing may depend on it. Here variables are
// ordered L, H, B, v, V, W, then by name; monomials by total degree, then lexicographically; each
// polynomial factor is primitive over the integers with a positive leading coefficient; factors are
// ordered too (powers of variables first, then by degree and coefficients). Two expressions that
// are equal as rational functions have equal forms as long as GiNaC factors both, and it factors
// over the integers. Subexpressions that are not rational (a remaining exp(b/2)) count as variables.
#pragma once

#include <ginac/ginac.h>

#include <map>
#include <string>
#include <vector>

namespace lemmata::symbolic {

// Exponents of the variables -> coefficient; the first entry is the leading one.
struct MonomialOrder {
    bool operator()(const std::vector<int>& a, const std::vector<int>& b) const;
};
using Monomials = std::map<std::vector<int>, GiNaC::numeric, MonomialOrder>;

struct PolynomialFactor {
    Monomials polynomial;
    int exponent = 1;  // negative: in the denominator
};

struct Factored {
    std::vector<GiNaC::ex> variables;
    std::vector<std::string> names;  // of the variables
    GiNaC::numeric coefficient = 0;
    std::vector<PolynomialFactor> factors;
};

Factored factored(const GiNaC::ex& e);

GiNaC::ex expression(const Monomials& polynomial, const std::vector<GiNaC::ex>& variables);
GiNaC::ex expression(const Factored& form);

// e as a polynomial in the variables; throws std::invalid_argument if it is none.
Monomials monomials(const GiNaC::ex& e, const std::vector<GiNaC::ex>& variables);

// The symbols of e, and what else counts as a variable, in canonical order.
std::vector<GiNaC::ex> variables_of(const GiNaC::ex& e);
// The symbols alone, in canonical order.
std::vector<GiNaC::ex> symbols_of(const GiNaC::ex& e);
std::string name_of(const GiNaC::ex& variable);

}  // namespace lemmata::symbolic
