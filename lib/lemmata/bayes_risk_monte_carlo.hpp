// The Bayes risk by playing the game: the route that shares nothing with the integrals.
//
// In the limit D -> infinity, sequences of the reduced model are drawn (samples.hpp) and the
// posterior of eps is computed token by token; cost O(L) per sequence.
// At finite D, spikes, weights and tokens are drawn in D dimensions and the label is estimated by
// BayesEstimator; the same noise drives a sequence of the limit model beside it (its overlaps are
// p^{-1/2} k* Z, exactly normal), and noise outside the spikes' span is averaged exactly, so that the
// small difference between the two is measured with a small error. Averaged over the spikes the difference is of order
// 1/D. Errors are standard errors. Same bits for any number of threads.
#pragma once

#include <lemmata/bayes_risk.hpp>

namespace lemmata {

RiskEstimate bayes_risk_monte_carlo(const Prior& prior, std::int64_t tokens, std::int64_t sequences,
                                    std::uint64_t seed);

struct FiniteDimensionRisk {
    Estimate loss;            // E |y - y-hat|^2 / D of the exact estimator
    Estimate printed;         // the same of eq. (16) as printed, |theta|^2 instead of theta^T p theta
    Estimate missed;          // 1 - E P_eps at finite D
    Estimate excess;          // loss minus the limit model's, on the same noise
    Estimate price_of_print;  // printed minus loss, on the same noise
    Estimate limit;           // the limit model's E sum (delta - P)^2, on that noise
};

// `sequences` sequences with fresh spikes for each. Needs D >= F.
FiniteDimensionRisk bayes_risk_at_dimension(const Prior& prior, std::int64_t tokens, int dimension,
                                            std::int64_t sequences, std::uint64_t seed);

}  // namespace lemmata
