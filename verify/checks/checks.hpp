// One function for each result of the paper; verify/lemmata/verify/check.cpp lists them all.
#pragma once

#include <lemmata/verify/check.hpp>

namespace lemmata::verify::checks {

std::vector<Check> lemma_a3();  // gradient in r at r = 0
std::vector<Check> lemma_a4();  // gradients in b and v at m = r = 0, softmax-1

}  // namespace lemmata::verify::checks
