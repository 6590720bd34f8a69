#include <lemmata/symbolic/factored.hpp>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <tuple>

namespace lemmata::symbolic {
namespace {

int rank(const std::string& name) {
    static constexpr const char* first[] = {"L", "H", "B", "v", "V", "W"};
    const auto* found = std::find(std::begin(first), std::end(first), name);
    return int(found - std::begin(first));
}

// Functions, and powers such as T^(1/2), are beyond polynomials.
bool is_opaque(const GiNaC::ex& e) {
    return GiNaC::is_a<GiNaC::function>(e) ||
           (GiNaC::is_a<GiNaC::power>(e) && !e.op(1).info(GiNaC::info_flags::integer));
}

template <class Stop>
void collect(const GiNaC::ex& e, const Stop& stop, std::map<std::pair<int, std::string>, GiNaC::ex>& found) {
    if (GiNaC::is_a<GiNaC::symbol>(e) || stop(e)) {
        const std::string name = name_of(e);
        found.emplace(std::pair{rank(name), name}, e);
        return;
    }
    for (std::size_t i = 0; i < e.nops(); ++i) collect(e.op(i), stop, found);
}

template <class Stop>
std::vector<GiNaC::ex> collected(const GiNaC::ex& e, const Stop& stop) {
    std::map<std::pair<int, std::string>, GiNaC::ex> found;
    collect(e, stop, found);
    std::vector<GiNaC::ex> result;
    result.reserve(found.size());
    for (const auto& [unused, variable] : found) result.push_back(variable);
    return result;
}

void add_terms(const GiNaC::ex& e, const std::vector<GiNaC::ex>& variables, std::size_t which,
               std::vector<int>& exponents, Monomials& result) {
    if (which == variables.size()) {
        if (!GiNaC::is_a<GiNaC::numeric>(e)) throw std::invalid_argument("monomials: not a polynomial");
        if (!e.is_zero()) result[exponents] = GiNaC::ex_to<GiNaC::numeric>(e);
        return;
    }
    const GiNaC::ex& x = variables[which];
    for (int k = e.ldegree(x); k <= e.degree(x); ++k) {
        const GiNaC::ex coefficient = e.coeff(x, k);
        if (coefficient.is_zero()) continue;
        if (k < 0) throw std::invalid_argument("monomials: not a polynomial");
        exponents.push_back(k);
        add_terms(coefficient.expand(), variables, which + 1, exponents, result);
        exponents.pop_back();
    }
}

// Divides by the signed content, which is returned.
GiNaC::numeric make_primitive(Monomials& polynomial) {
    GiNaC::numeric numerators = 0, denominators = 1;
    for (const auto& [unused, c] : polynomial) {
        numerators = GiNaC::gcd(numerators, c.numer());
        denominators = GiNaC::lcm(denominators, c.denom());
    }
    GiNaC::numeric content = GiNaC::abs(numerators) / denominators;
    if (polynomial.begin()->second.is_negative()) content = -content;
    for (auto& [unused, c] : polynomial) c = c / content;
    return content;
}

void multiply(Factored& form, const GiNaC::ex& factor, int exponent) {
    if (GiNaC::is_a<GiNaC::mul>(factor)) {
        for (std::size_t i = 0; i < factor.nops(); ++i) multiply(form, factor.op(i), exponent);
        return;
    }
    if (GiNaC::is_a<GiNaC::power>(factor) && factor.op(1).info(GiNaC::info_flags::integer)) {
        multiply(form, factor.op(0), exponent * GiNaC::ex_to<GiNaC::numeric>(factor.op(1)).to_int());
        return;
    }
    Monomials polynomial = monomials(factor.expand(), form.variables);
    if (polynomial.empty()) {
        form.coefficient = 0;
        return;
    }
    form.coefficient = form.coefficient * make_primitive(polynomial).power(exponent);
    const bool constant =
        polynomial.size() == 1 &&
        std::all_of(polynomial.begin()->first.begin(), polynomial.begin()->first.end(), [](int k) { return k == 0; });
    if (constant) return;
    for (PolynomialFactor& known : form.factors)
        if (known.polynomial == polynomial) {
            known.exponent += exponent;
            return;
        }
    form.factors.push_back({std::move(polynomial), exponent});
}

bool before(const PolynomialFactor& a, const PolynomialFactor& b) {
    const auto degree = [](const Monomials& p) {
        return std::accumulate(p.begin()->first.begin(), p.begin()->first.end(), 0);
    };
    const auto group = [&](const PolynomialFactor& f) {
        return std::tuple{f.polynomial.size() > 1, degree(f.polynomial)};
    };
    if (group(a) != group(b)) return group(a) < group(b);
    auto i = a.polynomial.begin(), j = b.polynomial.begin();
    for (; i != a.polynomial.end() && j != b.polynomial.end(); ++i, ++j) {
        if (i->first != j->first) return MonomialOrder{}(i->first, j->first);
        if (i->second != j->second) return i->second > j->second;
    }
    return a.polynomial.size() < b.polynomial.size();
}

}  // namespace

bool MonomialOrder::operator()(const std::vector<int>& a, const std::vector<int>& b) const {
    const int total_a = std::accumulate(a.begin(), a.end(), 0), total_b = std::accumulate(b.begin(), b.end(), 0);
    return total_a != total_b ? total_a > total_b : a > b;
}

std::string name_of(const GiNaC::ex& variable) {
    if (GiNaC::is_a<GiNaC::symbol>(variable)) return GiNaC::ex_to<GiNaC::symbol>(variable).get_name();
    std::ostringstream out;
    out << variable;
    return out.str();
}

std::vector<GiNaC::ex> variables_of(const GiNaC::ex& e) {
    return collected(e, is_opaque);
}

std::vector<GiNaC::ex> symbols_of(const GiNaC::ex& e) {
    return collected(e, [](const GiNaC::ex&) { return false; });
}

Monomials monomials(const GiNaC::ex& e, const std::vector<GiNaC::ex>& variables) {
    Monomials result;
    std::vector<int> exponents;
    add_terms(e.expand(), variables, 0, exponents, result);
    return result;
}

Factored factored(const GiNaC::ex& e) {
    const GiNaC::ex fraction = e.normal().numer_denom();
    Factored form;
    form.variables = variables_of(fraction);
    for (const GiNaC::ex& variable : form.variables) form.names.push_back(name_of(variable));
    if (fraction.op(0).is_zero()) return form;
    form.coefficient = 1;
    multiply(form, GiNaC::factor(fraction.op(0)), 1);
    multiply(form, GiNaC::factor(fraction.op(1)), -1);
    form.factors.erase(
        std::remove_if(form.factors.begin(), form.factors.end(), [](const auto& f) { return f.exponent == 0; }),
        form.factors.end());
    std::sort(form.factors.begin(), form.factors.end(), before);
    return form;
}

GiNaC::ex expression(const Monomials& polynomial, const std::vector<GiNaC::ex>& variables) {
    GiNaC::ex result = 0;
    for (const auto& [exponents, coefficient] : polynomial) {
        GiNaC::ex term = coefficient;
        for (std::size_t i = 0; i < variables.size(); ++i) term *= GiNaC::pow(variables[i], exponents[i]);
        result += term;
    }
    return result;
}

GiNaC::ex expression(const Factored& form) {
    GiNaC::ex result = form.coefficient;
    for (const PolynomialFactor& f : form.factors)
        result *= GiNaC::pow(expression(f.polynomial, form.variables), f.exponent);
    return result;
}

}  // namespace lemmata::symbolic
