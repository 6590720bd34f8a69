#include "checks/expression.hpp"

#include <lemmata/symbolic/formula.hpp>

#include <ginac/ginac.h>

namespace lemmata::verify::checks {

double evaluate(const std::string& expression, const std::map<std::string, double>& values, const std::string& claim) {
    symbolic::FormulaContext context;
    context.field = claim;
    for (const auto& [symbol, value] : values) context.symbols[symbol] = value;
    const GiNaC::ex value = symbolic::evaluate(symbolic::parse_formula(expression, claim), context);
    return GiNaC::ex_to<GiNaC::numeric>(value.evalf()).to_double();
}

}  // namespace lemmata::verify::checks
