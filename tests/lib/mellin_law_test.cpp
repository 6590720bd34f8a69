#include <lemmata/mellin_law.hpp>

#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;

namespace {

Component atom(double nu) {
    return {1, Eigen::VectorXd::Constant(1, std::sqrt(nu)), Eigen::MatrixXd::Zero(1, 1)};
}

}  // namespace

// Values: Laplace transform of the lognormal law, from tables outside this project (20 digits).
TEST_CASE("Mellin inversion gives the Laplace transform of the lognormal law") {
    const auto laplace = [](double sigma, double s) {
        // w = e^{sigma x - sigma^2/2}.
        const RaceGrid at{std::log(s) + sigma * sigma / 2, 1, 1};
        return std::exp(MellinLaw(atom(sigma * sigma)).transform(at).log_survival[0]);
    };
    CHECK(laplace(1, 0.1) == Approx(0.86278030238814867788).epsilon(1e-14));
    CHECK(laplace(1, 1) == Approx(0.3817564647554833369).epsilon(1e-14));
    CHECK(laplace(1, 10) == Approx(0.022992213113929562369).epsilon(1e-13));
    CHECK(laplace(2, 1) == Approx(0.41215639088572616668).epsilon(1e-14));
}

// The logistic-normal integral E 1/(1 + e^{z + sqrt(t) Z}) at t = 1 has closed values (Pirjol 2013).
TEST_CASE("a race between a constant and a lognormal is the logistic-normal integral") {
    const auto logistic = [](double z) {
        const RaceGrid lattice{-45, 0.125, 400};
        const RaceTransform t = MellinLaw(atom(1)).transform({lattice.first + z + 0.5, lattice.step, lattice.count});
        double sum = 0;
        for (int j = 0; j < lattice.count; ++j)
            sum += lattice.step * std::exp(lattice.at(j) - std::exp(lattice.at(j)) + t.log_survival[j]);
        return sum;
    };
    CHECK(logistic(0) == Approx(0.5).epsilon(1e-13));
    CHECK(logistic(1) == Approx(0.3032653298563167).epsilon(1e-13));
    CHECK(logistic(2) == Approx(0.15546251853012348).epsilon(1e-13));
    CHECK(logistic(3) == Approx(0.06932385800428577).epsilon(1e-13));
    for (const double z : {-1.3, 0.4}) CHECK(logistic(z + 1) == Approx(std::exp(-z - 0.5) * (1 - logistic(z))));
}

TEST_CASE("transforms of a Gaussian component agree with direct integration within their errors") {
    // One feature, N(mean, variance): the null law of x by a fine trapezoid sum.
    struct Case {
        double mean, variance;
    };
    for (const auto& [mean, variance] : {Case{0, 0.05}, Case{0, 3}, Case{1.2, 0.8}, Case{-2, 6}, Case{3, 0}}) {
        const Component c{1, Eigen::VectorXd::Constant(1, mean), Eigen::MatrixXd::Constant(1, 1, variance)};
        const RaceGrid lattice{-30, 2.5, 18};
        const RaceTransform t = MellinLaw(c).transform(lattice);
        for (int j = 0; j < lattice.count; ++j) {
            double survival = 0, missed = 0, first = 0, second = 0;
            const double h = 0.002;
            for (int i = -8000; i <= 8000; ++i) {
                const double x = i * h;
                const double log_w =
                    -std::log1p(variance) / 2 - (x - mean) * (x - mean) / (2 * (1 + variance)) + x * x / 2;
                const double y = std::exp(std::min(lattice.at(j) + log_w, 7.0));
                const double mass = h * std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
                survival += mass * std::exp(-y);
                missed -= mass * std::expm1(-y);
                first += mass * y * std::exp(-y);
                second += mass * y * y * std::exp(-y);
            }
            INFO("mean " << mean << " variance " << variance << " u " << lattice.at(j));
            // 1e-13: rounding of the direct sum.
            const double log_survival = missed < 0.5 ? std::log1p(-missed) : std::log(survival);
            if (survival > 1e-200)
                CHECK(std::abs(t.log_survival[j] - log_survival) <=
                      t.log_error[j] + 1e-13 * (missed < 0.5 ? missed : 1 + std::abs(log_survival)));
            CHECK(std::abs(t.first[j] - first) <= (t.relative_error[j] + 1e-13) * first + 1e-17);
            CHECK(std::abs(t.second[j] - second) <= (10 * t.relative_error[j] + 1e-13) * second + 1e-17);
        }
    }
}

TEST_CASE("moments of the likelihood ratio") {
    const MellinLaw law({1, Eigen::Vector2d(0.3, -1), Eigen::Vector2d(2, 0).asDiagonal()});
    CHECK(law.log_moment(0) == 0);
    CHECK(law.log_moment(1) == Approx(0).margin(1e-15));  // a ratio of densities has mean 1
    CHECK(law.log_moment(0.5) < 0);
    CHECK(MellinLaw(atom(4)).log_moment(2) == Approx(4));  // E e^{2 (2x - 2)} = e^4
}

TEST_CASE("equal laws are recognised") {
    CHECK(MellinLaw(atom(2)).same_as(MellinLaw(atom(2))));
    CHECK_FALSE(MellinLaw(atom(2)).same_as(MellinLaw(atom(2.1))));
    const Component turned{1, Eigen::Vector2d(1, 1), Eigen::Matrix2d::Zero()};
    const Component straight{1, Eigen::Vector2d(0, std::sqrt(2.0)), Eigen::Matrix2d::Zero()};
    CHECK(MellinLaw(turned).same_as(MellinLaw(straight)));
}
