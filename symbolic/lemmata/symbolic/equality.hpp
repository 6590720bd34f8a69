// Whether two expressions are equal for all values of their symbols.
//
// A three-valued answer: GiNaC's normal form may miss a true zero (sin^2 + cos^2 - 1), so "not
// shown zero" alone means unknown. No needs a witness: a rational point at which both sides are
// defined and their exact values differ.
#pragma once

#include <ginac/ginac.h>

namespace lemmata::symbolic {

enum class Truth { no, unknown, yes };

struct Equality {
    Truth truth = Truth::unknown;
    GiNaC::exmap witness;  // for Truth::no: symbol -> rational
};

// Exact for rational functions. The witness tried first is the simplest one: small integers.
Equality equal(const GiNaC::ex& left, const GiNaC::ex& right);

}  // namespace lemmata::symbolic
