#include <lemmata/error.hpp>
#include <lemmata/samples.hpp>

#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;

namespace {

Prior skewed() {
    Component narrow{0.7, Eigen::Vector2d(0.9, -0.4), Eigen::Matrix2d::Zero()};
    narrow.covariance << 0.3, 0.1, 0.1, 0.2;
    return Prior::mixture({narrow, {0.3, Eigen::Vector2d(-0.6, 1.5), Eigen::Matrix2d::Zero()}});
}

}  // namespace

TEST_CASE("samples have the mean and covariance of the model") {
    const auto sampling = GENERATE(Sampling::plain, Sampling::antithetic, Sampling::sobol);
    const Prior prior = skewed();
    const Samples samples(prior, 3, 2, 200'000, sampling, 1);
    Eigen::VectorXd relevant_mean = Eigen::VectorXd::Zero(4), null_mean = Eigen::VectorXd::Zero(4);
    Eigen::MatrixXd relevant_square = Eigen::MatrixXd::Zero(4, 4), null_square = Eigen::MatrixXd::Zero(4, 4);
    const double n = static_cast<double>(samples.count());
    Eigen::MatrixXd tile;
    for (std::int64_t t = 0; t < samples.tiles(); ++t) {
        samples.draw(t, tile);
        const auto relevant = tile.topRows(tile_width);
        const auto null = tile.bottomRows(tile_width);
        relevant_mean += relevant.colwise().sum().transpose() / n;
        null_mean += null.colwise().sum().transpose() / n;
        relevant_square += relevant.transpose() * relevant / n;
        null_square += null.transpose() * null / n;
    }
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(4);
    mean.head(2) = prior.mean();
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(4, 4);
    covariance.topLeftCorner(2, 2) += prior.covariance();
    // Entries have variance at most 6; six standard errors with a factor 2 for antithetic pairs.
    const double tolerance = 6 * std::sqrt(2 * 6 / n);
    CHECK((relevant_mean - mean).cwiseAbs().maxCoeff() < tolerance);
    CHECK(null_mean.cwiseAbs().maxCoeff() < tolerance);
    CHECK((relevant_square - mean * mean.transpose() - covariance).cwiseAbs().maxCoeff() < tolerance);
    CHECK((null_square - Eigen::MatrixXd::Identity(4, 4)).cwiseAbs().maxCoeff() < tolerance);
}

TEST_CASE("sample counts are rounded up to whole tiles") {
    const Prior prior = Prior::spike(1);
    CHECK(Samples(prior, 2, 1, 1, Sampling::plain, 1).count() == tile_width);
    CHECK(Samples(prior, 2, 1, 65, Sampling::plain, 1).count() == 2 * tile_width);
    CHECK(Samples(prior, 2, 1, 1, Sampling::sobol, 1).count() == tile_width * sobol_replicates);
    CHECK_THROWS_AS(Samples(prior, 2, 1, 0, Sampling::plain, 1), InvalidInput);
    CHECK_THROWS_AS(Samples(prior, 1'000'000'000, 1, 64, Sampling::plain, 1), InvalidInput);
}

TEST_CASE("stored samples are the drawn ones") {
    Samples samples(skewed(), 3, 2, 500, Sampling::antithetic, 9);
    Eigen::MatrixXd tile;
    samples.draw(5, tile);
    samples.store();
    CHECK(samples.view(5) == tile);
}

TEST_CASE("antithetic halves mirror each other about the component's mean") {
    const Samples samples(Prior::spike(4), 2, 1, 64, Sampling::antithetic, 3);
    Eigen::MatrixXd tile;
    samples.draw(0, tile);
    const auto top = tile.topRows(32);
    const auto bottom = tile.middleRows(32, 32);
    CHECK((top.col(0) + bottom.col(0)).isApproxToConstant(4, 1e-14));
    CHECK((top.col(1) + bottom.col(1)).isZero(0));
}
