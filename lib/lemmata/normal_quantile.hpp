// The inverse of the standard normal distribution function, for whole arrays.
//
// Wichura's algorithm AS 241 (PPND16, Applied Statistics 37, 1988): rational approximations on
// three ranges, relative error about 1e-16 in exact arithmetic, below 1e-15 as computed here.
// Vectorised, because sampling spends its time here; Boost's scalar quantile is the test's peer.
#pragma once

#include <span>

namespace lemmata {

// Replaces each probability u in (0, 1) by z with P(Z <= z) = u. Outside (0, 1): not a number or infinite.
void normal_quantile(std::span<double> probabilities);

}  // namespace lemmata
