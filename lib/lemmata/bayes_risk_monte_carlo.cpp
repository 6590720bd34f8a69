#include <lemmata/bayes_estimator.hpp>
#include <lemmata/bayes_risk_monte_carlo.hpp>
#include <lemmata/error.hpp>
#include <lemmata/random.hpp>
#include <lemmata/samples.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <Eigen/Eigenvalues>
#include <cmath>

namespace lemmata {
namespace {

// Mean and standard error of each column.
std::vector<Estimate> averages(const Eigen::MatrixXd& observations) {
    std::vector<Estimate> result;
    const auto n = static_cast<double>(observations.rows());
    for (Eigen::Index j = 0; j < observations.cols(); ++j) {
        const double mean = observations.col(j).mean();
        const double variance = (observations.col(j).array() - mean).square().sum() / (n - 1);
        result.push_back({mean, std::sqrt(variance / n), ErrorKind::standard});
    }
    return result;
}

// (delta - P) for the relevant token 0.
Eigen::VectorXd residual(const Eigen::VectorXd& posterior) {
    Eigen::VectorXd c = -posterior;
    c[0] += 1;
    return c;
}

Eigen::VectorXd draw_theta(const Prior& prior, double choice, const Eigen::VectorXd& normals) {
    double cumulative = 0;
    for (const auto& c : prior.components()) {
        cumulative += c.weight;
        if (choice < cumulative || &c == &prior.components().back())
            return c.mean + square_root_factor(c.covariance) * normals;
    }
    return {};
}

}  // namespace

RiskEstimate bayes_risk_monte_carlo(const Prior& prior, std::int64_t tokens, std::int64_t sequences,
                                    std::uint64_t seed) {
    if (sequences < 2) throw InvalidInput("samples", fmt::format("{}", sequences), "at least 2");
    const Samples samples(prior, tokens, 0, sequences, Sampling::plain, seed);
    const LikelihoodRatio ratio(prior);
    Eigen::MatrixXd observations(samples.count(), 2);
    tbb::parallel_for(std::int64_t{0}, samples.tiles(), [&](std::int64_t tile) {
        Eigen::MatrixXd draws;
        samples.draw(tile, draws);
        Eigen::MatrixXd overlaps(tokens, prior.features());
        for (Eigen::Index i = 0; i < tile_width; ++i) {
            for (Eigen::Index l = 0; l < tokens; ++l) overlaps.row(l) = draws.row(tile_width * l + i);
            const Eigen::VectorXd c = residual(posterior(ratio, overlaps));
            observations.row(tile * tile_width + i) << c[0], c.squaredNorm();
        }
    });
    const auto estimates = averages(observations);
    return {estimates[0], estimates[1], "monte-carlo"};
}

FiniteDimensionRisk bayes_risk_at_dimension(const Prior& prior, std::int64_t tokens, int dimension,
                                            std::int64_t sequences, std::uint64_t seed) {
    const Eigen::Index features = prior.features();
    if (tokens < 2) throw InvalidInput("model.tokens", fmt::format("{}", tokens), "at least 2");
    if (dimension < features)
        throw InvalidInput("dimension", fmt::format("{}", dimension), fmt::format("at least {}", features));
    if (sequences < 2) throw InvalidInput("sequences", fmt::format("{}", sequences), "at least 2");
    const LikelihoodRatio limit_ratio(prior);
    const Eigen::Index per_sequence = (1 + features + features * dimension + tokens * dimension + 3) / 4 * 4;
    Eigen::MatrixXd observations(sequences, 6);
    tbb::parallel_for(std::int64_t{0}, sequences, [&](std::int64_t sequence) {
        Eigen::VectorXd z(per_sequence);
        fill_normal({z.data(), static_cast<std::size_t>(z.size())}, seed, Stream::samples,
                    static_cast<std::uint64_t>(sequence * per_sequence));
        const double choice = std::erfc(-z[0] / std::sqrt(2.0)) / 2;
        const Eigen::VectorXd theta = draw_theta(prior, choice, z.segment(1, features));
        const Eigen::MatrixXd spikes =
            z.segment(1 + features, features * dimension).reshaped(features, dimension) / std::sqrt(dimension);
        const Eigen::MatrixXd noise =
            z.segment(1 + features + features * dimension, tokens * dimension).reshaped(tokens, dimension);
        Eigen::MatrixXd x = noise;
        x.row(0) += theta.transpose() * spikes;

        const Eigen::VectorXd c = residual(BayesEstimator(prior, spikes).posterior(x));
        const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(features, features);
        const Eigen::VectorXd c_printed = residual(BayesEstimator(prior, spikes, identity).posterior(x));

        // Tokens' overlaps with an orthonormal basis of the spikes' span, and the limit model's.
        const Eigen::MatrixXd root =
            Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(spikes * spikes.transpose()).operatorInverseSqrt();
        const Eigen::MatrixXd inside = x * spikes.transpose() * root;
        Eigen::MatrixXd limit_overlaps = noise * spikes.transpose() * root;
        limit_overlaps.row(0) += theta.transpose();
        const double limit = residual(posterior(limit_ratio, limit_overlaps)).squaredNorm();

        const double loss = (x.transpose() * c).squaredNorm() / dimension;
        const double printed = (x.transpose() * c_printed).squaredNorm() / dimension;
        // Outside that span tokens are pure noise, whose average is known: only what differs is sampled.
        const auto expected = [&](const Eigen::VectorXd& weights) {
            return (static_cast<double>(dimension - features) * weights.squaredNorm() +
                    (inside.transpose() * weights).squaredNorm()) /
                   dimension;
        };
        observations.row(sequence) << loss, printed, c[0], expected(c) - limit, expected(c_printed) - expected(c),
            limit;
    });
    const auto e = averages(observations);
    return {e[0], e[1], e[2], e[3], e[4], e[5]};
}

}  // namespace lemmata
