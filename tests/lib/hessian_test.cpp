#include <lemmata/hessian.hpp>
#include <lemmata/loss_reference.hpp>

#include <catch2/catch.hpp>

using namespace lemmata;

// Second derivative of the reference path along a direction. Step 0.03: truncation step^6/560 of the eighth
// derivative, rounding 1e-14 / step^2.
static double curvature(const Problem& problem, const State& state, const Eigen::VectorXd& direction) {
    const auto at = [&](double t) {
        const State moved = unflatten(flatten(state) + t * direction, state.heads(), state.features());
        return loss_reference(problem, state_of<double>(moved), 13.0);
    };
    const double h = 0.03;
    return (2 * (at(3 * h) + at(-3 * h)) - 27 * (at(2 * h) + at(-2 * h)) + 270 * (at(h) + at(-h)) - 490 * at(0)) /
           (180 * h * h);
}

TEST_CASE("the Hessian at the unspecialized point agrees with the reference path") {
    const auto activation = GENERATE(Activation::softmax, Activation::softmax_1);
    const Problem problem{activation, 5, Prior::gaussian(Eigen::VectorXd::Constant(1, 2.0))};
    const State origin = state_at(Eigen::MatrixXd::Zero(2, 1));
    const HessianEstimate h = hessian(problem, origin);
    CHECK(h.value == h.value.transpose());
    const double scale = h.value.cwiseAbs().maxCoeff();
    CHECK(h.error.maxCoeff() < 1e-6 * scale);
    for (const Eigen::Index i : {Eigen::Index{0}, Eigen::Index{2}, Eigen::Index{6}}) {
        const double expected = curvature(problem, origin, Eigen::VectorXd::Unit(h.value.rows(), i));
        CHECK(std::abs(h.value(i, i) - expected) < 1e-6 * scale);
    }
    Eigen::VectorXd both = Eigen::VectorXd::Zero(h.value.rows());
    both.head(2) << 1, -1;
    CHECK(std::abs(both.dot(h.value * both) - curvature(problem, origin, both)) < 4e-6 * scale);
    CHECK(std::abs(both.dot(h.value * both)) > 1e-3 * scale);  // the control: there was something to find
}
