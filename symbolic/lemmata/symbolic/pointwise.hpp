// The inequalities behind c^(1)(0, r, 0, 1) > 0, for every score [2603.03993v1, eqs. (30)-(31)].
//
// At b = 0 and v = 1, for each head h, tokens eps != l and all scores chi:
//   mean_eps < 1,   sum_h' d_{h eps} sigma(h')_eps > 0,   mean_l > 0,   sum_h' d_{h eps} sigma(h')_l < 0.
// Not at the unspecialized point: scores enter through the weights, which are positive and
// otherwise free. Head h has weights a (at eps), c (at l) and r (at all other tokens together); the
// other heads together have A, C and R. Tokens and heads that may be missing have weight >= 0.
//
// Covers weights with dw/dx = w (exponentials) and gains that depend on S alone or on Sbar alone;
// for gains of S alone the means are bounded head by head. Throws InvalidInput for others.
#pragma once

#include <lemmata/symbolic/sign.hpp>

namespace lemmata::symbolic {

struct PointwiseSign {
    std::string statement;
    Sign claimed = Sign::positive;
    SignCertificate certificate;
};

std::vector<PointwiseSign> pointwise_gradient_signs(const ActivationFamily& family);

}  // namespace lemmata::symbolic
