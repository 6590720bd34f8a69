// What an engine for the population loss returns [2603.03993v1, eq. (10)]:
//     E(m, r, b, v) = E sum_l (delta_{l,eps} - (1/H) sum_h sigma_hl)^2.
// Engines: loss_monte_carlo.hpp (sampling); loss_exact.hpp (quadrature).
#pragma once

#include <lemmata/estimate.hpp>
#include <lemmata/state.hpp>

#include <optional>
#include <string>

namespace lemmata {

struct GradientEstimate {
    Gradient value;
    Gradient error;  // entry by entry, of the kind of the loss's own error
};

struct LossEstimate {
    Estimate loss;
    std::optional<GradientEstimate> gradient;  // if asked for
    std::string method;                        // how it was computed, for people: "monte-carlo (sobol)"
};

}  // namespace lemmata
