// A user's activation, in TOML:
//
//   [activation]
//   name        = "sigmoid"
//   weight      = "1/(1 + exp(-x))"   of x (the score) and b
//   denominator = "1"                 of S = sum of a head's weights, Sbar = its mean over heads, and b
//   scale       = "1"                 of v; optional, 1
//   parameters  = ["T"]               further positive symbols; optional
//
// lemmata/symbolic/activation_family.hpp has the language. Complaints are InvalidInput naming file,
// key, and the column inside the expression.
#pragma once

#include <lemmata/symbolic/activation_family.hpp>

#include <string>

namespace lemmata::verify {

symbolic::ActivationFamily parse_activation(std::string_view text, const std::string& source,
                                            const symbolic::Symbols& symbols = {});

// One of the paper's by name, or else a file.
symbolic::ActivationFamily activation_named(const std::string& name_or_file, const symbolic::Symbols& symbols = {});

}  // namespace lemmata::verify
