#include <lemmata/bayes_estimator.hpp>
#include <lemmata/error.hpp>

#include <fmt/format.h>

namespace lemmata {
namespace {

Eigen::MatrixXd checked_spikes(const Prior& prior, Eigen::MatrixXd spikes) {
    if (spikes.rows() != prior.features())
        throw InvalidInput("spikes", fmt::format("{} rows", spikes.rows()),
                           fmt::format("{}, the prior's features", prior.features()));
    if (!spikes.allFinite()) throw InvalidInput("spikes", "an entry that is not finite", "finite entries");
    return spikes;
}

}  // namespace

BayesEstimator::BayesEstimator(const Prior& prior, Eigen::MatrixXd spikes)
    : spikes_(checked_spikes(prior, std::move(spikes))), ratio_(prior, spikes_ * spikes_.transpose()) {}

BayesEstimator::BayesEstimator(const Prior& prior, Eigen::MatrixXd spikes, const Eigen::MatrixXd& gram)
    : spikes_(checked_spikes(prior, std::move(spikes))), ratio_(prior, gram) {}

Eigen::VectorXd BayesEstimator::posterior(const Eigen::MatrixXd& tokens) const {
    if (tokens.cols() != spikes_.cols())
        throw InvalidInput("tokens", fmt::format("dimension {}", tokens.cols()),
                           fmt::format("{}, as the spikes", spikes_.cols()));
    return lemmata::posterior(ratio_, tokens * spikes_.transpose());
}

Eigen::VectorXd BayesEstimator::label(const Eigen::MatrixXd& tokens) const {
    return tokens.transpose() * posterior(tokens);
}

Eigen::VectorXd posterior(const LikelihoodRatio& ratio, const Eigen::MatrixXd& overlaps) {
    Eigen::VectorXd logs(overlaps.rows());
    for (Eigen::Index l = 0; l < overlaps.rows(); ++l) logs[l] = ratio.log(overlaps.row(l).transpose());
    Eigen::VectorXd weights = (logs.array() - logs.maxCoeff()).exp();
    return weights / weights.sum();
}

}  // namespace lemmata
