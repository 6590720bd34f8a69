#include "lib/reference_cases.hpp"

#include <lemmata/error.hpp>
#include <lemmata/loss_reference.hpp>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <catch2/catch.hpp>

using namespace lemmata;
using Digits50 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;

TEST_CASE("the reference path agrees with the values from outside") {
    for (const ReferenceCase& known : reference_cases()) {
        if (known.problem.activation == Activation::bayes_softmax && known.state.heads() > 2) continue;  // n^H nodes
        INFO(known.name);
        CHECK(std::abs(loss_reference(known.problem, state_of<double>(known.state), 9.0) - known.loss) < 1e-9);
    }
}

// At m = r = 0 every softmax is uniform: E = 1 - 1/L. Softmax-1: sigma = v/(L + e^b).
TEST_CASE("the reference path gives the uniform attention in 25 digits") {
    const Digits50 tolerance("1e-25");
    const State origin = state_at(Eigen::MatrixXd::Zero(2, 1));
    const Problem softmax{Activation::softmax, 3, Prior::spike(2)};
    CHECK(abs(loss_reference(softmax, state_of<Digits50>(origin), 25.5) - Digits50(2) / 3) < tolerance);
    const Problem softmax_1{Activation::softmax_1, 3, Prior::spike(2)};
    const Digits50 share = Digits50(1) / 4;
    CHECK(abs(loss_reference(softmax_1, state_of<Digits50>(state_at(Eigen::MatrixXd::Zero(1, 1))), 25.5) -
              (1 - 2 * share + 3 * share * share)) < tolerance);
}

// One head, L = 2, known spike: sigma_eps = 1/(1 + e^{-(m theta + sqrt(2 q) Z)}) is logistic-normal, and
// E = 2 E(1 - sigma_eps)^2. At m = theta = 1, r = 0: t = 2, mean 1 = t/2, where (Pirjol 2013) E sigma' etc.
// are symmetric and the loss is the Bayes risk of a spike of strength 1 (tests/data/README.md).
TEST_CASE("the reference path gives a Bayes risk known in 14 digits") {
    const Problem problem{Activation::softmax, 2, Prior::spike(1)};
    const State state = state_at(Eigen::MatrixXd::Ones(1, 1));
    CHECK(loss_reference(problem, state_of<double>(state), 14.0) == Approx(0.32494329766243).epsilon(0).margin(2e-14));
}

TEST_CASE("the reference path refines: 50 digits confirm what double says") {
    const Problem problem{Activation::softmax_1, 5, Prior::flipping_spike(2, 1)};
    State state = state_at((Eigen::MatrixXd(1, 2) << 0.4, -0.3).finished());
    state.r(0, 0) = 0.5;
    state.b[0] = 0.3;
    state.v = 1.2;
    const Digits50 coarse = loss_reference(problem, state_of<Digits50>(state), 14.0);
    const Digits50 fine = loss_reference(problem, state_of<Digits50>(state), 20.0);
    CHECK(abs(coarse - fine) < Digits50("1e-14"));
    CHECK(abs(coarse - fine) > Digits50("1e-22"));  // the control: fewer digits asked, fewer delivered
    CHECK(abs(fine - Digits50(loss_reference(problem, state_of<double>(state), 14.0))) < Digits50("2e-14"));
}

// One head of Bayes-softmax is softmax, whatever its bias; two equal ones are too, and so are two if one never runs.
TEST_CASE("the reference path's shared race contains the race of one head") {
    const Digits50 tolerance("1e-20");
    const Prior prior = Prior::flipping_spike(1, 1);
    State one = state_at((Eigen::MatrixXd(1, 2) << 0.4, -0.3).finished());
    const Digits50 softmax = loss_reference({Activation::softmax, 4, prior}, state_of<Digits50>(one), 20.5);
    one.b[0] = 0.7;
    const Problem bayes{Activation::bayes_softmax, 4, prior};
    CHECK(abs(loss_reference(bayes, state_of<Digits50>(one), 20.5) - softmax) < tolerance);
    State two = state_at((Eigen::MatrixXd(2, 2) << 0.4, -0.3, 0.4, -0.3).finished());
    two.b << 0.2, -0.5;
    CHECK(abs(loss_reference(bayes, state_of<Digits50>(two), 20.5) - softmax) < tolerance);
    two.m.row(1) << 0, 0;
    two.b << 0, -60;
    CHECK(abs(loss_reference(bayes, state_of<Digits50>(two), 20.5) - softmax) < tolerance);
    two.b << 0, -6;  // the control
    CHECK(abs(loss_reference(bayes, state_of<Digits50>(two), 20.5) - softmax) > Digits50("1e-5"));
}

// Its lattice once stayed where a race without bias is run.
TEST_CASE("a common bias does not change the reference path's shared race") {
    const Problem problem{Activation::bayes_softmax, 1000, Prior::flipping_spike(2, 2)};
    State state = state_at((Eigen::MatrixXd(2, 2) << 0.3, -0.1, 0.05, 0.2).finished());
    state.b << 0, -2;
    const double expected = loss_reference(problem, state_of<double>(state), 11);
    for (const double shift : {-60.0, 7.0, 50.0, 600.0}) {
        State shifted = state;
        shifted.b.array() += shift;
        CHECK(std::abs(loss_reference(problem, state_of<double>(shifted), 11) - expected) < 1e-12);
    }
    state.b << 0, -1;  // the control
    CHECK(std::abs(loss_reference(problem, state_of<double>(state), 11) - expected) > 1e-9);
}
