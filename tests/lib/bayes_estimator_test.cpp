#include <lemmata/bayes_estimator.hpp>
#include <lemmata/error.hpp>
#include <lemmata/random.hpp>

#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;

namespace {

Eigen::MatrixXd normals(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
    Eigen::MatrixXd z(rows, columns);
    fill_normal({z.data(), static_cast<std::size_t>(z.size())}, seed, Stream::samples, 0);
    return z;
}

// log P(X | eps = l, k*) for an atomic prior, from the definition: every token's density in full.
double log_likelihood(const Prior& prior, const Eigen::MatrixXd& spikes, const Eigen::MatrixXd& x, Eigen::Index l) {
    double total = 0;
    for (const auto& c : prior.components()) {
        Eigen::MatrixXd centred = x;
        centred.row(l) -= c.mean.transpose() * spikes;
        total += c.weight * std::exp(-centred.squaredNorm() / 2 + x.squaredNorm() / 2);
    }
    return std::log(total);
}

}  // namespace

TEST_CASE("the posterior at finite D is Bayes' formula") {
    const Prior prior = Prior::flipping_spike(1.5, 0.7);
    const Eigen::MatrixXd spikes = normals(2, 8, 1) / std::sqrt(8.0);
    const Eigen::MatrixXd x = normals(4, 8, 2);
    Eigen::VectorXd expected(4);
    for (Eigen::Index l = 0; l < 4; ++l) expected[l] = std::exp(log_likelihood(prior, spikes, x, l));
    expected /= expected.sum();
    const BayesEstimator exact(prior, spikes);
    CHECK((exact.posterior(x) - expected).cwiseAbs().maxCoeff() < 1e-13);
    CHECK((exact.label(x) - x.transpose() * expected).cwiseAbs().maxCoeff() < 1e-12);
    // The limit's formula, as printed, is not the posterior at D = 8: the two atoms' norms differ there.
    const BayesEstimator printed(prior, spikes, Eigen::Matrix2d::Identity());
    CHECK((printed.posterior(x) - expected).cwiseAbs().maxCoeff() > 1e-3);
}

TEST_CASE("a posterior survives scores that overflow") {
    const Prior prior = Prior::spike(1e6);
    Eigen::MatrixXd overlaps(3, 1);
    overlaps << 5, 1000, 7;
    const Eigen::VectorXd p = posterior(LikelihoodRatio(prior), overlaps);
    CHECK(p[1] == 1);
    CHECK(p.sum() == 1);
}

TEST_CASE("estimator inputs are checked") {
    const Prior prior = Prior::spikes(2, 1);
    CHECK_THROWS_AS(BayesEstimator(prior, Eigen::MatrixXd::Ones(3, 5)), InvalidInput);
    CHECK_THROWS_AS(BayesEstimator(prior, Eigen::MatrixXd::Ones(2, 5)).posterior(Eigen::MatrixXd::Ones(4, 6)),
                    InvalidInput);
}
