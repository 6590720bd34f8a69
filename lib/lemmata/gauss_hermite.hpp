// Gauss-Hermite rules for the standard normal weight: exact for polynomials up to degree 2n - 1.
//
// Use where f(z) is smooth on the scale of 1; for wide arguments a lattice (lattice.hpp) needs
// fewer points. Golub & Welsch (1969): nodes are the eigenvalues of the Jacobi matrix of the
// Hermite polynomials; Newton steps in extended precision make them correct to the last bit, and
// weights follow from the Christoffel-Darboux sum. Boost 1.74 has no such rule.
#pragma once

#include <lemmata/quadrature_rule.hpp>

namespace lemmata {

inline constexpr int max_gauss_hermite_order = 128;

// Order n from 1 to 128 (InvalidInput otherwise); nodes ascending, symmetric about 0.
// Relative error of the moment of degree d <= 2n - 1 below (d + 10) ulp.
QuadratureRule gauss_hermite(int order);

}  // namespace lemmata
