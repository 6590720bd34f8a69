// Negative controls, made mechanically: formulas with one thing wrong.
//
// Each mutant differs from the formula in one place of its tree: a sign, a factor 2, a number or an
// exponent off by one, L -> L - 1 (and H, B, v, V, W likewise), or one index for another that is
// in scope. Some mutants mean the same (an index renamed in a symmetric term): whoever uses them
// shows so by exact evaluation and leaves them out.
#pragma once

#include <lemmata/symbolic/formula.hpp>

#include <string>
#include <vector>

namespace lemmata::symbolic {

struct Mutant {
    std::string kind;  // "sign", "factor", "number", "symbol", "index"
    Formula formula;
};

// In a fixed order, without repetition, none equal to the formula as a tree.
std::vector<Mutant> mutants(const Formula& formula);

}  // namespace lemmata::symbolic
