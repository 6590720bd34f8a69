// Formulas (formula.hpp) as LaTeX, shaped as they are written: a factor over a divisor becomes a
// fraction, s(h, l; h' l') the derivative of sigma_{h l} in the score chi_{h' l'}, and the names of
// derived constants (printed.hpp) the paper's symbols: c3 is c_3^{(2)}, ct1 is \tilde c_1^{(4)}.
#pragma once

#include <lemmata/symbolic/formula.hpp>

#include <string>

namespace lemmata::symbolic {

std::string latex(const Formula& formula);

}  // namespace lemmata::symbolic
