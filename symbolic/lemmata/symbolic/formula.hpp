// Formulas as data: a small language in which activations are defined and the paper's printed
// formulas are written down, so that they can be evaluated, mutated and shown.
//
//   1/H^2 * sum(l, l'; sum(h; s(h, l; 1 l'))^2)             [2603.03993v1, eq. (44)]
//
// Besides + - * / ^ (integer exponents), brackets, exact numbers (0.1 is 1/10), symbols and
// functions, there are
//   s(h, l; h' l', ...)   sigma(h)_l, differentiated in the scores chi_{h'l'}, ...
//   sum(i, j, ...; body)  the sum over the indices i, j, ...: heads if the name begins with h,
//                         tokens if it begins with l; an index may carry primes
//   delta(i, j)           1 if the indices are equal, else 0
// where an index is a bound name or a literal 1, 2, ...
//
// Bad input (unknown symbol, unbalanced bracket, division by zero, more than 2048 characters,
// nesting deeper than 64) throws InvalidInput with the column at which it was noticed.
#pragma once

#include <lemmata/symbolic/symbols.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lemmata::symbolic {

enum class FormulaKind { number, symbol, add, subtract, multiply, divide, power, negate, call, sum, sigma, delta };

struct Formula {
    FormulaKind kind = FormulaKind::number;
    std::string text;                  // the number, or the name of the symbol or function
    std::vector<std::string> indices;  // sum: bound; sigma: h, l, h', l', ...; delta: both
    std::vector<Formula> arguments;
    std::size_t column = 1;

    bool operator==(const Formula& other) const;  // columns do not count
};

// `field` names the formula in messages.
Formula parse_formula(std::string_view text, const std::string& field);

// The formula in the syntax above, with no more brackets than needed.
std::string text(const Formula& formula);

// What a formula may mention, and what it means. sigma(h, l, {h', l', ...}) receives concrete
// indices 1, 2, ...: an index set of symbolic size is summed as its known members, one by one, and
// as many copies of one fresh member as remain: sum_i f(i) = f(1) + ... + f(k) + (n - k) f(k + 1).
struct FormulaContext {
    std::string field;
    std::map<std::string, GiNaC::ex> symbols;
    GiNaC::ex tokens, heads;                                          // sizes of the index sets
    std::function<GiNaC::ex(const std::vector<int>& indices)> sigma;  // none: not allowed
};
GiNaC::ex evaluate(const Formula& formula, const FormulaContext& context);

}  // namespace lemmata::symbolic
