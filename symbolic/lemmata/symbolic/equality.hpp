// Whether two expressions are equal for all values of their symbols.
//
// A three-valued answer: GiNaC's normal form may miss a true zero (sin^2 + cos^2 - 1), so "not
// shown zero" alone means unknown. No needs a witness: a point of the domain at which both sides are
// defined and their exact rational values differ.
#pragma once

#include <lemmata/symbolic/domain.hpp>

namespace lemmata::symbolic {

enum class Truth { no, unknown, yes };

struct Equality {
    Truth truth = Truth::unknown;
    GiNaC::exmap witness;        // for Truth::no: symbol -> rational, simplest first
    GiNaC::numeric left, right;  // the two values there
};

// Exact for rational functions. Without a domain symbols may take any value.
Equality equal(const GiNaC::ex& left, const GiNaC::ex& right, const Domain& domain = {});

}  // namespace lemmata::symbolic
