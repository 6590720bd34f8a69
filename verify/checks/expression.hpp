// The value of a claim's expression at numbers for its symbols: what a numeric check compares with, so
// that a changed expression changes the verdict.
#pragma once

#include <map>
#include <string>

namespace lemmata::verify::checks {

// InvalidInput if a symbol has no value. `claim` names the claim in messages.
double evaluate(const std::string& expression, const std::map<std::string, double>& values, const std::string& claim);

}  // namespace lemmata::verify::checks
