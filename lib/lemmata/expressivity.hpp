// What attention can and cannot express, whatever its weights [2603.03993v1, Prop. IV.3].
//
// Softmax, lower bounds. Write S_l = (1/H) sum_h sigma_hl, so sum_l S_l = 1, and a = S_eps. By
// Cauchy-Schwarz on the null tokens the loss of a sequence is at least L/(L-1) (1 - a)^2.
//   Antipodes. Negating all noise and theta negates all scores, and sigma(chi)_eps + sigma(-chi)_eps
//   <= 1, since (sum_{l != eps} e^{chi_l - chi_eps})(sum_{l != eps} e^{chi_eps - chi_l}) >= (L-1)^2 >= 1.
//   Where theta has density p and -theta density q the two together cost at least
//   min_a p (1-a)^2 + q a^2 = p q / (p + q). Hence, with P- the law of -theta,
//       loss >= L/(L-1) A(P),   A(P) = (1/2) int dP dP- / (dP + dP-)  in [0, 1/4],
//   for all m, r, H and strengths. A = 1/4 if and only if P is symmetric: L / (4 (L-1)).
//   Depth. If m_h.theta <= 0, then E sigma_h,eps <= 1/L, its value for exchangeable scores. So
//   E a <= 1 - d (L-1)/L and, by Jensen,
//       loss >= (L-1)/L d(P)^2,   d(P) = inf_m P(m.theta <= 0),
//   d the half-space (Tukey) depth of the origin. It depends on directions only. Conversely d = 0
//   makes softmax well specified: for each eta there is m with P(m.theta <= 0) < eta, and the loss of
//   heads m at prior B theta tends to at most 2 eta as B -> infinity.
// So softmax can be driven to zero loss by a growing signal if and only if the origin has depth 0:
// that is what "P_theta is not restricted to a half-space" has to mean. The condition printed after
// "i.e." (some S disjoint from -S, both of positive probability) holds for every prior whose support
// has two points other than 0: take theta_1 and -theta_2 into S.
//
// Softmax-1, a construction: two opposite heads +-s d, |d| = 1, biases s t, v = 2. As s grows a head
// answers if and only if its largest overlap with d exceeds t, so the loss tends to at most
//     9 (P(|d.theta| < 2 t) + 2 L P(Z > t)).
// The paper takes s = B, t = sqrt(B); t = sqrt(2 log B) is better (docs/bayes.md).
#pragma once

#include <lemmata/prior.hpp>
#include <lemmata/state.hpp>

#include <cstdint>

namespace lemmata {

// A(P): exact for atoms. For Gaussian components a lower bound, from pairing mirror images
// (p q / (p + q) is superadditive); exact again if the mixture is symmetric.
double antipodal_mass(const Prior& prior);

// d(P), exact, for atoms in one or two features; InvalidInput otherwise.
double half_space_depth(const Prior& prior);

// The better of the two bounds (the depth where it can be computed). No softmax attention has a
// smaller loss on this prior with L tokens.
double softmax_floor(const Prior& prior, std::int64_t tokens);

// H heads along +-slope * direction (a unit vector), the first `forward` of them with +, r = 0. On the
// prior p delta_{B direction} + q delta_{-B direction} with forward = H p, slope -> 0 and
// slope * B -> infinity, its softmax loss tends to the antipodal bound L/(L-1) p q: the bound is sharp.
State opposed_heads(const Eigen::VectorXd& direction, double slope, int heads, int forward);

// The softmax-1 construction above.
State thresholded_pair(const Eigen::VectorXd& direction, double slope, double threshold);

// Bayes-softmax with one head per atom [2603.03993v1, Prop. IV.2], m_h = theta^h, r = 0, and bias
// corrected: log P(theta^h) - |theta^h|^2 / 2, which makes it the Bayes estimator;
// printed:   -|theta^h|^2 log P(theta^h) / 2.
enum class AtomBias { corrected, printed };
State heads_at_atoms(const Prior& prior, AtomBias bias);  // InvalidInput unless the prior is discrete

}  // namespace lemmata
