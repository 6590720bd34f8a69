// The letters of the closed forms, as GiNaC symbols.
//
//   L  tokens                      B  e^b, b the common bias of the unspecialized heads
//   H  heads                       v  output scale
//   V  Var theta_f                 W  Var of the feature already learnt [2603.03993v1, eq. (58)]
//
// A GiNaC symbol is equal to its copies only, so every unit that is to speak of the same L takes a
// copy of one Symbols. GiNaC's reference counts are not thread-safe: one thread per set of symbols.
#pragma once

#include <ginac/ginac.h>

namespace lemmata::symbolic {

struct Symbols {
    GiNaC::symbol L{"L"}, H{"H"}, B{"B"}, v{"v"}, V{"V"}, W{"W"};
    GiNaC::symbol x{"x"}, b{"b"}, S{"S"}, Sbar{"Sbar"};  // arguments of an activation's expressions
};

}  // namespace lemmata::symbolic
