// The trapezoid rule for a Gaussian: nodes k h, weights h phi(k h), |k h| <= reach.
//
// For f analytic in |Im z| <= a with |f| <= M there, the lattice of all k is off by at most
//     2 M e^{a^2/2} / (e^{2 pi a/h} - 1)
// (Trefethen & Weideman, SIAM Review 56, 2014, Thm 5.1, with the weight's e^{a^2/2}). For entire f
// of moderate growth a = 2 pi/h is best: about 2 M e^{-2 pi^2/h^2}, so h = 0.5 leaves 1e-34 and
// h = 0.7 leaves 1e-17. Cutting at `reach` adds at most 2 M P(Z > reach - h).
// Against Gauss-Hermite: better for wide arguments, and its nodes can be shared by all widths.
#pragma once

#include <lemmata/quadrature_rule.hpp>

namespace lemmata {

// InvalidInput unless 0 < spacing and spacing <= reach, both finite, with at most a million nodes.
QuadratureRule gaussian_lattice(double spacing, double reach);

// The bound above for M = 1: discretisation in a strip of half-width `strip`, plus truncation.
double gaussian_lattice_error(double spacing, double reach, double strip);

}  // namespace lemmata
