#include <lemmata/error.hpp>
#include <lemmata/symbolic/formula.hpp>
#include <lemmata/symbolic/printer.hpp>
#include <lemmata/verify/activation_file.hpp>
#include <lemmata/verify/constants_query.hpp>

#include <fmt/format.h>
#include <algorithm>

namespace lemmata::verify {
namespace {

// An integer, a rational such as 1/3, or a decimal; exactly.
GiNaC::numeric exact(const std::string& option, const std::string& text) {
    symbolic::FormulaContext context;
    context.field = option;
    const GiNaC::ex value = evaluate(symbolic::parse_formula(text, option), context);
    if (!GiNaC::is_a<GiNaC::numeric>(value)) throw InvalidInput(option, text, "a number such as 2, 1/3 or 0.25");
    return GiNaC::ex_to<GiNaC::numeric>(value);
}

GiNaC::numeric count(const std::string& option, const std::string& text, int smallest) {
    GiNaC::numeric value = exact(option, text);
    if (!value.is_integer() || value < smallest)
        throw InvalidInput(option, text, fmt::format("an integer >= {}", smallest));
    return value;
}

GiNaC::numeric positive(const std::string& option, const std::string& text, bool or_zero) {
    GiNaC::numeric value = exact(option, text);
    if (value.is_negative() || (value.is_zero() && !or_zero))
        throw InvalidInput(option, text, or_zero ? "a number >= 0" : "a number > 0");
    return value;
}

Substitution substitution_of(const ConstantsQuery& a, const symbolic::ActivationFamily& family) {
    const symbolic::Symbols& s = family.symbols;
    Substitution result;
    if (!a.tokens.empty()) result[s.L] = count("--tokens", a.tokens, 2);
    if (!a.heads.empty()) result[s.H] = count("--heads", a.heads, 1);
    if (!a.exp_bias.empty()) result[s.B] = positive("--exp-bias", a.exp_bias, false);
    if (!a.scale.empty()) result[s.v] = exact("--scale", a.scale);
    if (!a.var.empty()) result[s.V] = positive("--var", a.var, true);
    if (!a.var_learnt.empty()) result[s.W] = positive("--var-learnt", a.var_learnt, true);
    for (const std::string& pair : a.parameters) {
        const std::size_t equals = pair.find('=');
        const std::string name = pair.substr(0, equals);
        const auto known = std::find_if(family.parameters.begin(), family.parameters.end(),
                                        [&](const GiNaC::symbol& p) { return p.get_name() == name; });
        if (equals == std::string::npos || known == family.parameters.end())
            throw InvalidInput("--parameter", pair, "NAME=VALUE for a parameter of the activation");
        result[*known] = positive("--parameter " + name, pair.substr(equals + 1), false);
    }
    return result;
}

}  // namespace

ConstantsTable constants_table(const ConstantsQuery& query) {
    symbolic::ScoreDerivatives derivatives(activation_named(query.activation));
    return constants_table(derivatives, query.orders, query.scale.empty(),
                           substitution_of(query, derivatives.family()));
}

}  // namespace lemmata::verify
