#include <lemmata/error.hpp>
#include <lemmata/gauss_hermite.hpp>
#include <lemmata/likelihood_ratio.hpp>
#include <lemmata/random.hpp>

#include <Eigen/Cholesky>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

using namespace lemmata;

namespace {

Component component(double weight, Eigen::VectorXd mean, const Eigen::MatrixXd& covariance) {
    return {weight, std::move(mean), covariance};
}

double log_normal_density(const Eigen::VectorXd& x, const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance) {
    const Eigen::LLT<Eigen::MatrixXd> llt(covariance);
    const double log_determinant = 2 * llt.matrixLLT().diagonal().array().log().sum();
    return -0.5 * ((x - mean).dot(llt.solve(x - mean)) + log_determinant +
                   static_cast<double>(x.size()) * std::log(2 * std::numbers::pi));
}

}  // namespace

TEST_CASE("the likelihood ratio is a ratio of densities") {
    const Eigen::Matrix2d covariance{{1.3, -0.4}, {-0.4, 0.2}};
    const Prior prior = Prior::mixture({component(0.3, Eigen::Vector2d(0.4, -1), covariance),
                                        component(0.7, Eigen::Vector2d(-0.2, 0.6), Eigen::Matrix2d::Zero())});
    const Eigen::Matrix2d gram{{1.1, 0.2}, {0.2, 0.8}};
    for (const Eigen::Matrix2d& p : {Eigen::Matrix2d(Eigen::Matrix2d::Identity()), gram}) {
        const LikelihoodRatio ratio(prior, p);
        for (const Eigen::Vector2d& t : {Eigen::Vector2d(0, 0), Eigen::Vector2d(1.5, -0.3), Eigen::Vector2d(-4, 6)}) {
            double direct = 0;
            for (const auto& c : prior.components())
                direct += c.weight * std::exp(log_normal_density(t, p * c.mean, p + p * c.covariance * p) -
                                              log_normal_density(t, Eigen::Vector2d::Zero(), p));
            CHECK(ratio.log(t) == Approx(std::log(direct)).margin(1e-13));
        }
    }
}

TEST_CASE("the likelihood ratio is the integral of equation 16") {
    const Prior prior = Prior::gaussian(Eigen::VectorXd::Constant(1, 1.7));
    const QuadratureRule rule = gauss_hermite(64);
    for (const double t : {-2.0, 0.0, 0.7, 3.0}) {
        const Eigen::ArrayXd theta = std::sqrt(1.7) * rule.nodes.array();
        const double integral = (rule.weights.array() * (theta * t - theta.square() / 2).exp()).sum();
        // 64 nodes for an integrand e^{-1.7 z^2 / 2 + ...}: converged to rounding.
        CHECK(std::exp(LikelihoodRatio(prior).log(Eigen::VectorXd::Constant(1, t))) == Approx(integral).epsilon(1e-12));
    }
}

TEST_CASE("likelihood ratios are finite where their exponentials are not") {
    const LikelihoodRatio ratio(Prior::flipping_spike(1e4, 1e4));
    CHECK(ratio.log(Eigen::Vector2d(50, 30)) == Approx(-1e4 + 100 * 80 + std::log(0.5)));
    CHECK(std::isfinite(LikelihoodRatio(Prior::gaussian(Eigen::Vector2d(1e6, 1))).log(Eigen::Vector2d(1e3, -1e3))));
}

TEST_CASE("a singular covariance and a singular gram matrix are fine") {
    const Eigen::Vector2d direction(0.6, 0.8);
    const Prior line = Prior::mixture({component(1, Eigen::Vector2d::Zero(), 2.5 * direction * direction.transpose())});
    const Prior flat = Prior::gaussian(Eigen::VectorXd::Constant(1, 2.5));
    const Eigen::Vector2d t(0.3, -1.9);
    const double along = direction.dot(t);
    CHECK(LikelihoodRatio(line).log(t) ==
          Approx(LikelihoodRatio(flat).log(Eigen::VectorXd::Constant(1, along))).epsilon(1e-13));
    // Spikes that coincide: theta counts through its sum only.
    const Prior two = Prior::gaussian(Eigen::Vector2d(1, 1.5));
    const Eigen::VectorXd value = Eigen::VectorXd::Constant(1, 0.9);
    CHECK(LikelihoodRatio(two, Eigen::Matrix2d::Ones()).log(Eigen::Vector2d(0.9, 0.9)) ==
          Approx(LikelihoodRatio(flat).log(value)).epsilon(1e-13));
    CHECK_THROWS_AS(LikelihoodRatio(two, Eigen::Matrix3d::Identity()), InvalidInput);
}
