// Certified numbers: an interval with decimal ends, proved to contain the number that was asked for.
//
// Two kinds of error are enclosed: those of discretisation by the theorems of docs/certified.md, whose constants
// are evaluated in ball arithmetic (Arb), and rounding by ball arithmetic itself. What remains to be trusted is the
// mathematics on that page, this code, Arb and the machine. Needs a build with Arb.
//
// Inputs are the binary floating-point numbers given, exactly; strengths of named priors enter as their exact
// square roots (`Prior::signed_squares`), and weights are divided by their exact sum.
#pragma once

#include <string>

namespace lemmata {

struct Enclosure {
    std::string lower, upper;  // decimal, rounded outward
    double lower_double = 0;   // the same ends as doubles, rounded outward
    double upper_double = 0;
};

// Whether this build has Arb. Without it certified functions throw Unfinished, naming the package to install.
bool certified_available();

// How many significant digits may be asked for: the width is at most 10^-digits of the upper end.
inline constexpr int max_certified_digits = 30;
void validate_certified_digits(int digits);  // InvalidInput, naming --digits

}  // namespace lemmata
