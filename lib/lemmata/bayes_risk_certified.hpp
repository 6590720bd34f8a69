// The Bayes risk [bayes_risk.hpp] with a proof: an interval with `digits` significant digits.
//
// With W = w(x), x ~ N(0, I), phi = E e^{-e^u W} and first = E[e^u W e^{-e^u W}],
//     1 - E P_eps = (L-1) int first^2 e^{-u} phi^{L-2} du.
// docs/certified.md proves the error of the trapezoid rule for this integral and for the inner ones:
//   atoms in up to 2 features        lattices in x
//   atoms along different axes       a product of such laws (`spike`, `spikes`), any F
//   one centred Gaussian, diagonal   E W^-p is closed; Mellin inversion, any F
// Anything else: InvalidInput. Any L from 2 to 1e9. Cost: 0.1 to a few seconds; two features at 30 digits take minutes.
#pragma once

#include <lemmata/enclosure.hpp>
#include <lemmata/prior.hpp>

#include <cstdint>

namespace lemmata {

Enclosure bayes_risk_certified(const Prior& prior, std::int64_t tokens, int digits = 12);

}  // namespace lemmata
