// How much likelier a token is when it carries the signal than when it does not
// [2603.03993v1, eq. (16)].
//
// A token enters through its overlaps t with the spikes, t_f = k*_f . X. With p = k* k*^T the
// spikes' Gram matrix, t ~ N(0, p) without and N(p theta, p) with the signal, and the ratio is
//     w(t) = int e^{theta.t - theta^T p theta / 2} P_theta(d theta)
//          = sum_k weight_k det(I + A^T p A)^{-1/2} e^{mean.t - mean^T p mean / 2 + g^T (I + A^T p A)^{-1} g / 2},
// covariance_k = A A^T, g = A^T (t - p mean). Exact for every finite dimension; the paper prints
// the limit p = I. Singular covariances and singular p are fine.
//
// Evaluated in the log domain: finite for every finite t. Relative error of w about 1e-15 (1 + |log w|).
// Cost: number of components times F^2.
#pragma once

#include <lemmata/prior.hpp>

#include <Eigen/Core>
#include <vector>

namespace lemmata {

class LikelihoodRatio {
public:
    explicit LikelihoodRatio(const Prior& prior);                      // p = I
    LikelihoodRatio(const Prior& prior, const Eigen::MatrixXd& gram);  // throws InvalidInput unless F x F

    // log w(t).
    [[nodiscard]] double log(const Eigen::Ref<const Eigen::VectorXd>& overlaps) const;

private:
    // One component: log of its term is constant + linear.t + |root^T t|^2 / 2.
    struct Term {
        double constant;
        Eigen::VectorXd linear;
        Eigen::MatrixXd root;  // F x rank of the covariance
    };
    std::vector<Term> terms_;
};

}  // namespace lemmata
