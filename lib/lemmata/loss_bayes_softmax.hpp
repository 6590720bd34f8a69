// The population loss of Bayes-softmax [2603.03993v1, eqs. (4), (10)] by quadrature: the part of
// loss_exact.hpp for the activation in which all heads share one race.
//
// With w_l = sum_h e^{chi_hl + b_h} the averaged attention is w_l / sum_l' w_l', so a token is one
// runner of rate w. Let Phi(u) = E exp(-e^u w), Phi_0 for a null token and Phi_e for the relevant one.
// As for one head of softmax (race_integrals.hpp),
//     E = int Phi_e [2(L-1) (Phi_0'' - Phi_0') Phi_0^{L-2} + (L-1)(L-2) Phi_0'^2 Phi_0^{L-3}] du:
// one lattice in u. The scores' law enters through Phi alone, and a point of an inner rule through the
// number w alone:
//   - rank(q) <= 4 and not too many nodes: product lattice in the eigenbasis of each law's covariance,
//     with the same bound as race.hpp, coordinate by coordinate. The error is a bound.
//   - otherwise Sobol points, 16 independent replicates; the outer integral stays exact. The error is a
//     standard error, and the tolerance is not promised.
// Gradient: dE = int (alpha_0 dPhi_0 + alpha_e dPhi_e) du, each point contributing through
// S_k(w) = int alpha e^{ku} exp(-e^u w) du (Price's theorem for the covariance).
// Cost: (inner points) x (nodes in u) exponentials, twice with the gradient.
#pragma once

#include <lemmata/loss_exact.hpp>

namespace lemmata {

// Called by loss_exact after validation.
LossEstimate loss_bayes_softmax(const Problem& problem, const State& state, const ExactOptions& options);

}  // namespace lemmata
