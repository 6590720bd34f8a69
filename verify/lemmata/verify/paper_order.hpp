// Where in the paper a claim belongs, from its id: what reports are ordered and headed by.
#pragma once

#include <string>
#include <utility>

namespace lemmata::verify {

// The id up to its first slash, "lemma-A.5"; numbered equations of the main text together, "eq".
std::string section_of(const std::string& id);

// Sorts sections: equations, propositions, lemmas (the appendix's after those of the main
// text), then others, the running text last.
std::pair<int, std::string> rank(const std::string& section);

std::string heading(const std::string& section);  // "Lemma A.5"

}  // namespace lemmata::verify
