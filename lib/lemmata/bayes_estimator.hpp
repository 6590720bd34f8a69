// The Bayes estimator of the label, given the spikes [2603.03993v1, Prop. IV.1]:
//     y-hat = sum_l P(eps = l | X, k*) X_l,   P(eps = l | X, k*) proportional to w(k* X_l),
// with w of likelihood_ratio.hpp at the spikes' own Gram matrix, so that it is the exact posterior
// mean in every finite dimension D. Equation (16) as printed puts |theta|^2 for theta^T p theta,
// which is its limit D -> infinity; pass the identity as `gram` to get it.
//
// Safe in the log domain. Cost O(L D F).
#pragma once

#include <lemmata/likelihood_ratio.hpp>

#include <Eigen/Core>

namespace lemmata {

class BayesEstimator {
public:
    BayesEstimator(const Prior& prior, Eigen::MatrixXd spikes);  // spikes: F x D, one per row
    BayesEstimator(const Prior& prior, Eigen::MatrixXd spikes, const Eigen::MatrixXd& gram);

    // P(eps = l | X, k*) for tokens X (L x D).
    [[nodiscard]] Eigen::VectorXd posterior(const Eigen::MatrixXd& tokens) const;

    // The label y-hat (D).
    [[nodiscard]] Eigen::VectorXd label(const Eigen::MatrixXd& tokens) const;

private:
    Eigen::MatrixXd spikes_;
    LikelihoodRatio ratio_;
};

// The same from the tokens' overlaps with the spikes (L x F): w(t_l) / sum_l' w(t_l').
Eigen::VectorXd posterior(const LikelihoodRatio& ratio, const Eigen::MatrixXd& overlaps);

}  // namespace lemmata
