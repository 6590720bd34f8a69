#include <lemmata/symbolic/printer.hpp>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace lemmata::symbolic {
namespace {

std::string integer(const GiNaC::numeric& n) {
    std::ostringstream out;
    out << n;
    return out.str();
}

// In C an integer literal would divide as an integer, or overflow.
std::string whole(const GiNaC::numeric& n, Notation notation) {
    return notation == Notation::c ? integer(n) + ".0" : integer(n);
}

std::string raised(const std::string& base, int exponent, Notation notation) {
    if (exponent == 1) return base;
    if (notation == Notation::text) return base + "^" + std::to_string(exponent);
    return base + "^{" + std::to_string(exponent) + "}";
}

std::string times(Notation notation) {
    return notation == Notation::latex ? " " : "*";
}

struct Product {
    std::string text;
    int factors = 0;
    void multiply(const std::string& factor, Notation notation) {
        if (factors++ > 0) text += times(notation);
        text += factor;
    }
    // C has no power operator.
    void multiply(const std::string& base, int exponent, Notation notation) {
        if (notation != Notation::c) return multiply(raised(base, exponent, notation), notation);
        for (int i = 0; i < exponent; ++i) multiply(base, notation);
    }
};

std::string term(const GiNaC::numeric& coefficient, const std::vector<int>& exponents,
                 const std::vector<std::string>& names, Notation notation) {
    Product product;
    const bool constant = std::all_of(exponents.begin(), exponents.end(), [](int k) { return k == 0; });
    if (constant || !coefficient.is_equal(1)) product.multiply(print(coefficient, notation), notation);
    for (std::size_t i = 0; i < exponents.size(); ++i)
        if (exponents[i] > 0) product.multiply(names[i], exponents[i], notation);
    return product.text;
}

}  // namespace

std::string print(const GiNaC::numeric& number, Notation notation) {
    if (number.is_integer()) return whole(number, notation);
    if (!number.is_rational()) return integer(number);
    const GiNaC::numeric n = number.numer(), d = number.denom();
    if (notation == Notation::latex)
        return std::string(n.is_negative() ? "-" : "") + "\\frac{" + integer(GiNaC::abs(n)) + "}{" + integer(d) + "}";
    return whole(n, notation) + "/" + whole(d, notation);
}

std::string print(const Monomials& polynomial, const std::vector<std::string>& names, Notation notation) {
    if (polynomial.empty()) return whole(0, notation);
    std::string result;
    for (const auto& [exponents, coefficient] : polynomial) {
        const bool negative = coefficient.is_negative();
        const bool first = result.empty();
        if (negative) result += first ? "-" : " - ";
        if (!negative && !first) result += " + ";
        result += term(GiNaC::abs(coefficient), exponents, names, notation);
    }
    return result;
}

std::string print(const GiNaC::ex& e, Notation notation) {
    const Factored form = factored(e);
    if (form.coefficient.is_zero()) return whole(0, notation);
    const GiNaC::numeric n = form.coefficient.numer(), d = form.coefficient.denom();
    const bool fraction = !d.is_equal(1) || std::any_of(form.factors.begin(), form.factors.end(),
                                                        [](const auto& f) { return f.exponent < 0; });
    // The factors above or below the bar; a sum that stands there alone needs no brackets if the
    // bar or nothing separates it from the rest.
    const auto side = [&](int sign, const GiNaC::numeric& number) {
        std::vector<const PolynomialFactor*> here;
        for (const PolynomialFactor& f : form.factors)
            if (f.exponent * sign > 0) here.push_back(&f);
        Product product;
        if (!number.is_equal(1) || here.empty()) product.multiply(whole(number, notation), notation);
        const bool alone = here.size() == 1 && std::abs(here[0]->exponent) == 1 && product.factors == 0 &&
                           (fraction ? notation == Notation::latex : n.is_positive());
        for (const PolynomialFactor* f : here) {
            std::string base = print(f->polynomial, form.names, notation);
            if (f->polynomial.size() > 1 && !alone) base = std::string("(").append(base).append(")");
            product.multiply(base, std::abs(f->exponent), notation);
        }
        return product;
    };
    const Product above = side(1, GiNaC::abs(n)), below = side(-1, d);
    const std::string sign = n.is_negative() ? "-" : "";
    if (!fraction) return sign + above.text;
    if (notation == Notation::latex) return sign + "\\frac{" + above.text + "}{" + below.text + "}";
    return sign + above.text + "/" +
           (below.factors == 1 ? below.text : std::string("(").append(below.text).append(")"));
}

std::string print(const GiNaC::exmap& point) {
    GiNaC::ex sum = 0;
    for (const auto& [symbol, unused] : point) sum += symbol;
    std::string result;
    for (const GiNaC::ex& symbol : variables_of(sum))
        result += (result.empty() ? "" : ", ") + name_of(symbol) + " = " +
                  print(GiNaC::ex_to<GiNaC::numeric>(point.at(symbol)));
    return result;
}

}  // namespace lemmata::symbolic
