#include <lemmata/symbolic/printer.hpp>
#include <lemmata/symbolic/sign.hpp>

#include <fmt/format.h>
#include <algorithm>

namespace lemmata::symbolic {
namespace {

constexpr int most_cases = 12;

Sign negated(Sign sign) {
    switch (sign) {
        case Sign::positive:
            return Sign::negative;
        case Sign::negative:
            return Sign::positive;
        case Sign::nonnegative:
            return Sign::nonpositive;
        case Sign::nonpositive:
            return Sign::nonnegative;
        default:
            return sign;
    }
}

bool strict(Sign sign) {
    return sign == Sign::positive || sign == Sign::negative;
}

Sign product(Sign a, Sign b) {
    if (a == Sign::zero || b == Sign::zero) return Sign::zero;
    if (a == Sign::unknown || b == Sign::unknown || a == Sign::changes || b == Sign::changes) return Sign::unknown;
    const auto below = [](Sign s) { return s == Sign::negative || s == Sign::nonpositive; };
    const bool negative = below(a) != below(b);
    if (strict(a) && strict(b)) return negative ? Sign::negative : Sign::positive;
    return negative ? Sign::nonpositive : Sign::nonnegative;
}

// The sign that both have, as strong as it can be said.
Sign both(Sign a, Sign b) {
    if (a == b) return a;
    const auto within = [&](Sign weak, Sign strong) {
        const auto fits = [&](Sign s) { return s == weak || s == strong || s == Sign::zero; };
        return fits(a) && fits(b);
    };
    if (within(Sign::nonnegative, Sign::positive)) return Sign::nonnegative;
    if (within(Sign::nonpositive, Sign::negative)) return Sign::nonpositive;
    return Sign::unknown;
}

Sign of_number(const GiNaC::numeric& n) {
    return n.is_zero() ? Sign::zero : n.is_positive() ? Sign::positive : Sign::negative;
}

GiNaC::ex shift(const GiNaC::ex& polynomial, const Domain& domain) {
    GiNaC::exmap corner;
    for (const Range& range : domain)
        corner[range.symbol] = range.point ? GiNaC::ex(range.lower) : range.symbol + range.lower;
    return polynomial.subs(corner, GiNaC::subs_options::no_pattern).expand();
}

// All variables of the shifted polynomial are >= 0, some of them > 0.
Sign by_coefficients(const GiNaC::ex& shifted, const Domain& domain) {
    const std::vector<GiNaC::ex> variables = variables_of(shifted);
    for (const GiNaC::ex& variable : variables)
        if (!range_of(domain, variable)) return Sign::unknown;
    const Monomials terms = monomials(shifted, variables);
    if (terms.empty()) return Sign::zero;
    const bool up = terms.begin()->second.is_positive();
    bool survives = false;
    for (const auto& [exponents, coefficient] : terms) {
        if (coefficient.is_positive() != up) return Sign::unknown;
        bool only_open = true;
        for (std::size_t i = 0; i < variables.size(); ++i)
            only_open = only_open && (exponents[i] == 0 || range_of(domain, variables[i])->open);
        survives = survives || only_open;
    }
    const Sign sign = survives ? Sign::positive : Sign::nonnegative;
    return up ? sign : negated(sign);
}

// Changes of sign in a Sturm chain at 0 or at infinity.
int sign_changes(const std::vector<GiNaC::ex>& chain, const GiNaC::ex& x, bool at_infinity) {
    int changes = 0, last = 0;
    for (const GiNaC::ex& p : chain) {
        const GiNaC::ex value = at_infinity ? p.lcoeff(x) : p.coeff(x, 0);
        const int s = GiNaC::ex_to<GiNaC::numeric>(value).csgn();
        if (s == 0) continue;
        if (last != 0 && s != last) ++changes;
        last = s;
    }
    return changes;
}

// One variable x >= 0 (or > 0): no zero for x > 0, so the sign is that of the leading coefficient.
Sign by_sturm(const GiNaC::ex& shifted, const Domain& domain) {
    const std::vector<GiNaC::ex> variables = variables_of(shifted);
    if (variables.size() != 1 || !range_of(domain, variables[0])) return Sign::unknown;
    const GiNaC::ex& x = variables[0];
    std::vector<GiNaC::ex> chain{shifted, shifted.diff(GiNaC::ex_to<GiNaC::symbol>(x)).expand()};
    while (!chain.back().is_zero() && chain.back().degree(x) > 0)
        chain.push_back((-GiNaC::rem(chain[chain.size() - 2], chain.back(), x)).expand());
    if (chain.back().is_zero()) return Sign::unknown;  // a repeated zero: the factor was not squarefree
    const GiNaC::ex at_corner = shifted.coeff(x, 0);
    if (sign_changes(chain, x, false) != sign_changes(chain, x, true)) return Sign::unknown;
    const bool zero_at_corner = at_corner.is_zero() && !range_of(domain, x)->open;
    const Sign sign = zero_at_corner ? Sign::nonnegative : Sign::positive;
    return GiNaC::ex_to<GiNaC::numeric>(shifted.lcoeff(x)).is_positive() ? sign : negated(sign);
}

SignCase prove_case(const GiNaC::ex& polynomial, const Domain& domain) {
    SignCase result{domain, SignMethod::coefficients, shift(polynomial, domain), Sign::unknown};
    result.sign = by_coefficients(result.shifted, domain);
    if (result.sign != Sign::unknown) return result;
    result.method = SignMethod::sturm;
    result.sign = by_sturm(result.shifted, domain);
    return result;
}

Range at_point(const Range& range, int step) {
    return {range.symbol, range.lower + step, true, false, true};
}
Range from(const Range& range, int step) {
    return {range.symbol, range.lower + step, true, false, false};
}

Sign common(const std::vector<SignCase>& cases) {
    Sign sign = cases.front().sign;
    for (const SignCase& c : cases) sign = both(sign, c.sign);
    return sign;
}

FactorSign prove_factor(const GiNaC::ex& polynomial, int exponent, const Domain& domain) {
    FactorSign result{polynomial, exponent, Sign::unknown, {prove_case(polynomial, domain)}};
    result.sign = result.cases.front().sign;
    if (result.sign != Sign::unknown) return result;
    for (const Range& range : domain) {
        if (!range.integer || range.point || !polynomial.has(range.symbol)) continue;
        std::vector<SignCase> cases;
        for (int k = 0; k < most_cases; ++k) {
            const SignCase rest = prove_case(polynomial, with_range(domain, from(range, k)));
            if (rest.sign != Sign::unknown) {
                cases.push_back(rest);
                if (const Sign sign = common(cases); sign != Sign::unknown)
                    return {polynomial, exponent, sign, std::move(cases)};
                break;
            }
            cases.push_back(prove_case(polynomial, with_range(domain, at_point(range, k))));
            if (cases.back().sign == Sign::unknown) break;
        }
    }
    return result;
}

Sign powered(Sign sign, int exponent) {
    if (exponent < 0 && !strict(sign)) return Sign::unknown;
    if (exponent % 2 != 0) return sign;
    if (strict(sign)) return Sign::positive;
    return sign == Sign::zero ? Sign::zero : Sign::nonnegative;  // a square, whatever its base
}

Sign assembled(const SignCertificate& c) {
    Sign sign = of_number(c.coefficient);
    for (const FactorSign& f : c.factors) sign = product(sign, powered(f.sign, f.exponent));
    return sign;
}

// The shifted polynomial, with y_L for the distance of L from its corner.
std::string in_distances(const GiNaC::ex& shifted) {
    const std::vector<GiNaC::ex> variables = variables_of(shifted);
    std::vector<std::string> names;
    names.reserve(variables.size());
    for (const GiNaC::ex& variable : variables) names.push_back(fmt::format("y_{}", name_of(variable)));
    return print(monomials(shifted, variables), names);
}

bool covers(const std::vector<SignCase>& cases, const Domain& domain) {
    const auto same = [](const Range& a, const Range& b) {
        return a.symbol.is_equal(b.symbol) && a.lower.is_equal(b.lower) && a.integer == b.integer && a.open == b.open &&
               a.point == b.point;
    };
    const auto equal = [&](const Domain& a, const Domain& b) {
        return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same);
    };
    if (cases.size() == 1) return equal(cases[0].domain, domain);
    return std::any_of(domain.begin(), domain.end(), [&](const Range& range) {
        if (!range.integer || range.open || range.point) return false;
        for (std::size_t k = 0; k < cases.size(); ++k) {
            const bool last = k + 1 == cases.size();
            const Range expected = last ? from(range, int(k)) : at_point(range, int(k));
            if (!equal(cases[k].domain, with_range(domain, expected))) return false;
        }
        return true;
    });
}

}  // namespace

std::string_view name(Sign sign) {
    switch (sign) {
        case Sign::unknown:
            return "unknown";
        case Sign::changes:
            return "changes";
        case Sign::zero:
            return "= 0";
        case Sign::positive:
            return "> 0";
        case Sign::negative:
            return "< 0";
        case Sign::nonnegative:
            return ">= 0";
        case Sign::nonpositive:
            return "<= 0";
    }
    return "unknown";
}

SignCertificate prove_sign(const GiNaC::ex& e, const Domain& domain) {
    SignCertificate result;
    result.expression = e;
    result.domain = domain;
    const Factored form = factored(e);
    result.coefficient = form.coefficient;
    for (const PolynomialFactor& f : form.factors)
        result.factors.push_back(prove_factor(expression(f.polynomial, form.variables), f.exponent, domain));
    result.sign = assembled(result);
    if (result.sign != Sign::unknown) return result;
    for (const GiNaC::exmap& point : sample_points(domain, e)) {
        try {
            const GiNaC::ex value = e.subs(point, GiNaC::subs_options::no_pattern);
            if (!GiNaC::is_a<GiNaC::numeric>(value) || !GiNaC::ex_to<GiNaC::numeric>(value).is_rational()) continue;
            const int s = GiNaC::ex_to<GiNaC::numeric>(value).csgn();
            if (s > 0 && result.positive_at.empty()) result.positive_at = point;
            if (s < 0 && result.negative_at.empty()) result.negative_at = point;
        } catch (const GiNaC::pole_error&) {
            continue;
        }
        if (!result.positive_at.empty() && !result.negative_at.empty()) {
            result.sign = Sign::changes;
            break;
        }
    }
    return result;
}

bool recheck(const SignCertificate& c) {
    GiNaC::ex whole = c.coefficient;
    for (const FactorSign& f : c.factors) whole *= GiNaC::pow(f.factor, f.exponent);
    if (!(whole - c.expression).normal().is_zero()) return false;
    if (c.sign == Sign::unknown) return true;
    if (c.sign == Sign::changes) {
        const auto value = [&](const GiNaC::exmap& point) {
            return GiNaC::ex_to<GiNaC::numeric>(c.expression.subs(point, GiNaC::subs_options::no_pattern));
        };
        return contains(c.domain, c.positive_at) && contains(c.domain, c.negative_at) &&
               value(c.positive_at).is_positive() && value(c.negative_at).is_negative();
    }
    for (const FactorSign& f : c.factors) {
        if (f.sign == Sign::unknown) continue;  // may only stand in an even power; assembled() sees to it
        if (!covers(f.cases, c.domain) || common(f.cases) != f.sign) return false;
        for (const SignCase& k : f.cases) {
            if (!(shift(f.factor, k.domain) - k.shifted).expand().is_zero()) return false;
            const Sign sign = k.method == SignMethod::coefficients ? by_coefficients(k.shifted, k.domain)
                                                                   : by_sturm(k.shifted, k.domain);
            if (sign != k.sign) return false;
        }
    }
    return assembled(c) == c.sign;
}

std::optional<GiNaC::ex> deciding_polynomial(const SignCertificate& c) {
    std::optional<GiNaC::ex> open;
    Sign rest = of_number(c.coefficient);
    for (const FactorSign& f : c.factors) {
        const Sign sign = powered(f.sign, f.exponent);
        if (strict(sign)) {
            rest = product(rest, sign);
            continue;
        }
        if (open || f.exponent % 2 == 0 || f.exponent < 0) return std::nullopt;
        open = f.factor;
    }
    if (!open || !strict(rest)) return std::nullopt;
    return rest == Sign::positive ? *open : -*open;
}

std::string print(const SignCertificate& c) {
    const std::string where = print(c.domain, c.expression);
    std::string result =
        print(c.expression) + " " + std::string(name(c.sign)) + (where.empty() ? "" : " for " + where) + "\n";
    if (c.sign == Sign::changes) {
        result += "  > 0 at " + print(c.positive_at) + "; < 0 at " + print(c.negative_at) + "\n";
        if (const auto decides = deciding_polynomial(c)) result += "  it has the sign of " + print(*decides) + "\n";
    }
    for (const FactorSign& f : c.factors) {
        const GiNaC::ex& factor = f.factor;
        for (const SignCase& k : f.cases) {
            const bool sturm = k.method == SignMethod::sturm;
            result += "  " + print(factor) + " " + std::string(name(k.sign)) + " for " + print(k.domain, factor);
            if (k.sign != Sign::unknown)
                result += ": " + in_distances(k.shifted) + (sturm ? " (Sturm: no zero beyond)" : "");
            result += "\n";
        }
    }
    return result;
}

std::vector<SignRun> sign_by_tokens(const GiNaC::ex& e, const Domain& domain, const GiNaC::ex& L, int most) {
    std::vector<SignRun> runs;
    const auto range = range_of(domain, L);
    if (!range) return runs;
    const int lower = range->lower.to_int();
    for (int k = 0;; ++k) {
        // The tail ends the list once its sign is strict (or 0), or when patience does.
        SignCertificate tail = prove_sign(e, with_range(domain, from(*range, k)));
        if (strict(tail.sign) || tail.sign == Sign::zero || k == most) {
            if (!runs.empty() && runs.back().certificate.sign == tail.sign) {
                SignCertificate whole = prove_sign(e, with_range(domain, from(*range, runs.back().first - lower)));
                if (whole.sign == tail.sign) {
                    runs.back() = {runs.back().first, 0, std::move(whole)};
                    return runs;
                }
            }
            runs.push_back({lower + k, 0, std::move(tail)});
            return runs;
        }
        SignCertificate here = prove_sign(e.subs(L == lower + k), with_range(domain, at_point(*range, k)));
        if (!runs.empty() && runs.back().certificate.sign == here.sign)
            runs.back().last = lower + k;
        else
            runs.push_back({lower + k, lower + k, std::move(here)});
    }
}

}  // namespace lemmata::symbolic
