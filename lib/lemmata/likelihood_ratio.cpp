#include <lemmata/error.hpp>
#include <lemmata/likelihood_ratio.hpp>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace lemmata {
namespace {

// Columns that are exactly zero carry nothing: an atom needs no quadratic form at all.
Eigen::MatrixXd without_zero_columns(const Eigen::MatrixXd& matrix) {
    std::vector<Eigen::Index> kept;
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
        if (!matrix.col(j).isZero(0)) kept.push_back(j);
    return matrix(Eigen::all, kept);
}

}  // namespace

LikelihoodRatio::LikelihoodRatio(const Prior& prior)
    : LikelihoodRatio(prior, Eigen::MatrixXd::Identity(prior.features(), prior.features())) {}

LikelihoodRatio::LikelihoodRatio(const Prior& prior, const Eigen::MatrixXd& gram) {
    if (gram.rows() != prior.features() || gram.cols() != prior.features())
        throw InvalidInput("gram", fmt::format("{} x {}", gram.rows(), gram.cols()),
                           fmt::format("{0} x {0}, the prior's features", prior.features()));
    for (const auto& component : prior.components()) {
        const Eigen::MatrixXd factor = without_zero_columns(square_root_factor(component.covariance));
        const Eigen::VectorXd centre = gram * component.mean;
        Term term{std::log(component.weight) - component.mean.dot(centre) / 2, component.mean,
                  Eigen::MatrixXd::Zero(prior.features(), factor.cols())};
        if (factor.cols() > 0) {
            const Eigen::MatrixXd precision =
                Eigen::MatrixXd::Identity(factor.cols(), factor.cols()) + factor.transpose() * gram * factor;
            const Eigen::LLT<Eigen::MatrixXd> cholesky(precision);
            term.root = cholesky.matrixL().solve(factor.transpose()).transpose();
            const Eigen::VectorXd shift = term.root.transpose() * centre;
            term.constant += shift.squaredNorm() / 2 - cholesky.matrixLLT().diagonal().array().log().sum();
            term.linear -= term.root * shift;
        }
        terms_.push_back(std::move(term));
    }
}

double LikelihoodRatio::log(const Eigen::Ref<const Eigen::VectorXd>& overlaps) const {
    double largest = -std::numeric_limits<double>::infinity();
    double sum = 0;  // of e^{term - largest}
    for (const auto& term : terms_) {
        double value = term.constant + term.linear.dot(overlaps);
        for (Eigen::Index j = 0; j < term.root.cols(); ++j) {
            const double projection = term.root.col(j).dot(overlaps);
            value += projection * projection / 2;
        }
        if (value > largest) {
            sum = 1 + sum * std::exp(largest - value);
            largest = value;
        } else {
            sum += std::exp(value - largest);
        }
    }
    return largest + std::log(sum);
}

}  // namespace lemmata
