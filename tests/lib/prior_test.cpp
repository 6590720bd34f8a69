#include <lemmata/error.hpp>
#include <lemmata/prior.hpp>

#include <catch2/catch.hpp>

using namespace lemmata;
using Catch::Matchers::Contains;

TEST_CASE("families of the paper have the moments they should") {
    SECTION("gaussian") {
        const Prior prior = Prior::gaussian(linear_variances(3, 20, 1));
        CHECK(prior.mean().isZero(0));
        CHECK(prior.covariance().isApprox(Eigen::Vector3d(20, 10.5, 1).asDiagonal().toDenseMatrix(), 1e-15));
        CHECK(prior.symmetric());
        CHECK_FALSE(prior.discrete());
    }
    SECTION("flipping spike") {
        const Prior prior = Prior::flipping_spike(2, 3);
        CHECK(prior.mean().isApprox(Eigen::Vector2d(std::sqrt(2.0), 0)));
        CHECK((prior.covariance() - Eigen::Vector2d(0, 3).asDiagonal().toDenseMatrix()).isZero(1e-15));
        CHECK_FALSE(prior.symmetric());
        CHECK(prior.discrete());
    }
    SECTION("flipping spike without its constant part is symmetric") {
        CHECK(Prior::flipping_spike(0, 3).symmetric());
    }
    SECTION("spikes") {
        const Prior prior = Prior::spikes(4, 10);
        CHECK(prior.features() == 4);
        CHECK(prior.mean().isApprox(Eigen::VectorXd::Constant(4, std::sqrt(10.0) / 4)));
        const Eigen::MatrixXd expected =
            2.5 * Eigen::MatrixXd::Identity(4, 4) - Eigen::MatrixXd::Constant(4, 4, 10.0 / 16);
        CHECK(prior.covariance().isApprox(expected, 1e-14));
    }
    SECTION("spike") {
        CHECK(Prior::spike(3).mean()[0] == std::sqrt(3.0));
        CHECK(Prior::spike(3).covariance().isZero(0));
    }
    SECTION("one feature takes the first strength") {
        CHECK(linear_variances(1, 5, 2) == Eigen::VectorXd::Constant(1, 5));
    }
}

TEST_CASE("weights split over equal components do not hide a symmetry") {
    const auto atom = [](double weight, double at) {
        return Component{weight, Eigen::VectorXd::Constant(1, at), Eigen::MatrixXd::Zero(1, 1)};
    };
    CHECK(Prior::mixture({atom(0.25, 1), atom(0.25, 1), atom(0.5, -1)}).symmetric());
    CHECK_FALSE(Prior::mixture({atom(0.25, 1), atom(0.75, -1)}).symmetric());
    CHECK(Prior::mixture({atom(1, 0)}).symmetric());
}

TEST_CASE("the square-root factor gives the covariance back") {
    Eigen::Matrix3d a;
    a << 2, 1, 0, 1, 3, 0, 0, 0, 0;
    const Eigen::MatrixXd factor = square_root_factor(a);
    CHECK((factor * factor.transpose() - a).isZero(1e-14));
    CHECK(factor.row(2).isZero(0));
    const Eigen::Vector2d direction(3, 4);
    const Eigen::MatrixXd singular = direction * direction.transpose();
    const Eigen::MatrixXd root = square_root_factor(singular);
    CHECK((root * root.transpose() - singular).isZero(1e-13));
}

TEST_CASE("bad priors are refused by name") {
    const auto good = [] { return Component{0.5, Eigen::Vector2d(1, 2), Eigen::Matrix2d::Identity()}; };
    const auto refused = [](Component a, Component b, const std::string& words) {
        CHECK_THROWS_WITH(Prior::mixture({std::move(a), std::move(b)}), Contains(words));
    };
    Component bad = good();
    bad.weight = 0.6;
    refused(good(), bad, "prior.component[*].weight: sum 1.1; expected a sum of 1");
    bad.weight = -0.5;
    refused(good(), bad, "prior.component[1].weight: -0.5");
    bad = good();
    bad.mean = Eigen::Vector3d::Zero();
    refused(good(), bad, "prior.component[1].mean: 3 entries");
    bad = good();
    bad.mean[1] = std::nan("");
    refused(good(), bad, "prior.component[1].mean");
    bad = good();
    bad.covariance(0, 1) = 0.5;
    refused(good(), bad, "prior.component[1].covariance: not symmetric");
    bad = good();
    bad.covariance(0, 0) = -1;
    refused(good(), bad, "prior.component[1].covariance[0][0]: -1; expected a variance");
    bad = good();
    bad.covariance << 1, 2, 2, 1;
    refused(good(), bad, "prior.component[1].covariance: smallest eigenvalue -1");
    CHECK_THROWS_AS(Prior::mixture({}), InvalidInput);
    CHECK_THROWS_WITH(Prior::gaussian(Eigen::Vector2d(1, -2)), Contains("prior.strengths[1]: -2"));
    CHECK_THROWS_AS(Prior::spikes(0, 1), InvalidInput);
}
