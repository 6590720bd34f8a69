// Closed forms as a person would write them, the same from run to run.
//
//   text   (L - 1)*(L - 2)/(H*L^3)
//   latex  \frac{(L - 1) (L - 2)}{H L^{3}}
//   c      (L - 1)*(L - 2)/(H*L*L*L), for variables of type double
#pragma once

#include <lemmata/symbolic/factored.hpp>

#include <string>

namespace lemmata::symbolic {

enum class Notation { text, latex, c };

std::string print(const GiNaC::ex& e, Notation notation = Notation::text);
std::string print(const Monomials& polynomial, const std::vector<std::string>& names,
                  Notation notation = Notation::text);
std::string print(const GiNaC::numeric& number, Notation notation = Notation::text);

// "L = 3, H = 1": in canonical order.
std::string print(const GiNaC::exmap& point);

}  // namespace lemmata::symbolic
