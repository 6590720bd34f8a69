#include <lemmata/activation.hpp>
#include <lemmata/error.hpp>
#include <lemmata/random.hpp>

#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;

namespace {

Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
    Eigen::MatrixXd x(rows, columns);
    fill_normal({x.data(), static_cast<std::size_t>(x.size())}, seed, Stream::search, 0);
    return x;
}

// The definitions, without any care for overflow.
double defined(Activation activation, const Eigen::MatrixXd& chi, const Eigen::VectorXd& b, double v, Eigen::Index h,
               Eigen::Index l) {
    const double heads = static_cast<double>(chi.rows());
    switch (activation) {
        case Activation::softmax:
            return std::exp(chi(h, l)) / chi.row(h).array().exp().sum();
        case Activation::softmax_1:
            return v * std::exp(chi(h, l)) / (std::exp(b[h]) + chi.row(h).array().exp().sum());
        default:
            return std::exp(chi(h, l) + b[h]) / ((chi.colwise() + b).array().exp().sum() / heads);
    }
}

}  // namespace

TEST_CASE("activations are what their definitions say") {
    const auto activation = GENERATE(from_range(all_activations.begin(), all_activations.end()));
    const Eigen::MatrixXd chi = random_matrix(3, 5, 1);
    const Eigen::VectorXd b = random_matrix(3, 1, 2);
    const Eigen::MatrixXd sigma = attend(activation, chi, b, 1.7);
    for (Eigen::Index h = 0; h < 3; ++h)
        for (Eigen::Index l = 0; l < 5; ++l)
            CHECK(sigma(h, l) == Approx(defined(activation, chi, b, 1.7, h, l)).epsilon(1e-14));
}

TEST_CASE("softmax-1 is softmax with one more token of score b") {
    const Eigen::MatrixXd chi = random_matrix(2, 4, 3);
    const Eigen::VectorXd b = random_matrix(2, 1, 4);
    Eigen::MatrixXd longer(2, 5);
    longer << chi, b;
    const Eigen::MatrixXd softmax = attend(Activation::softmax, longer, b, 1);
    CHECK((attend(Activation::softmax_1, chi, b, 2.5) - 2.5 * softmax.leftCols(4)).isZero(1e-15));
}

TEST_CASE("activations survive extreme scores and biases") {
    const auto activation = GENERATE(from_range(all_activations.begin(), all_activations.end()));
    for (const double score : {700.0, -700.0, 1e5, -1e5})
        for (const double bias : {0.0, 700.0, -700.0, 1e300, -1e300}) {
            Eigen::MatrixXd chi = random_matrix(2, 3, 5);
            chi.row(0).array() += score;
            Eigen::VectorXd b(2);
            b << bias, 0;
            const Eigen::MatrixXd sigma = attend(activation, chi, b, 1);
            CAPTURE(score, bias);
            CHECK(sigma.allFinite());
            CHECK(sigma.minCoeff() >= 0);
            const Pullback back = pull_back(activation, chi, b, 1, random_matrix(2, 3, 6));
            CHECK(back.chi.allFinite());
            CHECK(back.b.allFinite());
            CHECK(std::isfinite(back.v));
            // Normalisation: what the family promises whatever the scores.
            if (activation == Activation::softmax) CHECK((sigma.rowwise().sum().array() - 1).abs().maxCoeff() < 1e-14);
            if (activation == Activation::bayes_softmax) CHECK(sigma.sum() == Approx(2));
        }
    // A bias far above all scores switches a head of softmax-1 off, far below has no effect.
    const Eigen::MatrixXd chi = random_matrix(1, 3, 7);
    CHECK(attend(Activation::softmax_1, chi, Eigen::VectorXd::Constant(1, 1e300), 1).isZero(0));
    CHECK(attend(Activation::softmax_1, chi, Eigen::VectorXd::Constant(1, -1e300), 1)
              .isApprox(attend(Activation::softmax, chi, Eigen::VectorXd::Zero(1), 1), 1e-15));
}

TEST_CASE("the pullback is the derivative of the activation") {
    const auto activation = GENERATE(from_range(all_activations.begin(), all_activations.end()));
    const Eigen::MatrixXd chi = random_matrix(3, 4, 8);
    const Eigen::VectorXd b = random_matrix(3, 1, 9);
    const Eigen::MatrixXd w = random_matrix(3, 4, 10);
    const double v = 1.3;
    const Pullback back = pull_back(activation, chi, b, v, w);
    const auto value = [&](const Eigen::MatrixXd& x, const Eigen::VectorXd& bias, double scale) {
        return w.cwiseProduct(attend(activation, x, bias, scale)).sum();
    };
    // Central differences: error about step^2 times a third derivative of order 1, plus ulp/step.
    const double step = 1e-5;
    const double tolerance = 1e-9;
    for (Eigen::Index h = 0; h < 3; ++h) {
        for (Eigen::Index l = 0; l < 4; ++l) {
            Eigen::MatrixXd up = chi, down = chi;
            up(h, l) += step;
            down(h, l) -= step;
            CHECK(std::abs(back.chi(h, l) - (value(up, b, v) - value(down, b, v)) / (2 * step)) < tolerance);
        }
        Eigen::VectorXd up = b, down = b;
        up[h] += step;
        down[h] -= step;
        CHECK(std::abs(back.b[h] - (value(chi, up, v) - value(chi, down, v)) / (2 * step)) < tolerance);
    }
    CHECK(std::abs(back.v - (value(chi, b, v + step) - value(chi, b, v - step)) / (2 * step)) < tolerance);
}

TEST_CASE("activations have names") {
    for (const Activation activation : all_activations) CHECK(activation_from_name(name(activation)) == activation);
    CHECK_THROWS_AS(activation_from_name("relu"), InvalidInput);
}
