// Mehler's expansion of the race functions: correlated heads without new exponentials for each pair.
//
// For standard normals z, z' of correlation rho,
//     E[f(z) f'(z')] = sum_n rho^n f_n f'_n,   f_n = E[f(z) He_n(z)] / sqrt(n!),
// so with psi_n(u) = E[lost(u + sigma z) He_n(z)] / sqrt(n!) computed once for each head and law, all
// pairs of heads follow by matrix products. The remainder after N terms is at most |rho|^N, and in a
// strip of half-width pi/2 psi_n falls like exp(-(pi / 2 sigma) sqrt(n)), so narrow laws need about
// 65 sigma^2 terms even at rho = 1. Wide and nearly equal (or opposite) heads are left to the direct
// split of pair_integral.cpp.
//
// Computed by a lattice in z, or, for wide laws, by a lattice in y = u + sigma z over the support of lost'.
// Cost for each head and law: n x (nodes) exponentials and n x (nodes) x N multiplications.
#pragma once

#include <lemmata/race_lattice.hpp>

#include <Eigen/Core>

namespace lemmata {

struct RaceExpansion {
    Eigen::MatrixXd values;  // row d n + a, column k: the d-th derivative of psi_k at the a-th node
    Eigen::ArrayXd sizes;    // largest absolute value in each column
    [[nodiscard]] int terms() const { return static_cast<int>(values.cols()); }
};

// Terms that suffice for correlation rho between heads of these widths, to `accuracy`; more than
// max_expansion_terms: do not expand.
constexpr int max_expansion_terms = 96;
int expansion_terms(double correlation, double sigma1, double sigma2, double accuracy);

// points: nodes u, shifted by the law's mean.
RaceExpansion race_expansion(const Eigen::ArrayXd& points, double sigma, int derivatives, int terms, double accuracy,
                             double tail);

}  // namespace lemmata
