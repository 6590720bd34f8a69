#include <lemmata/error.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_gauss_hermite.hpp>

#include <catch2/catch.hpp>

using namespace lemmata;

TEST_CASE("the Gauss-Hermite route converges to the exact loss, and its error covers") {
    const Problem problem{Activation::softmax_1, 5, Prior::flipping_spike(2, 1)};
    State state = random_state(2, 2, 0.4, 0.3, 6);
    state.b << 0.4, -0.3;
    state.v = 1.2;
    const Estimate exact = loss_exact(problem, state, {1e-11, false}).loss;
    double before = 1;
    for (const int order : {4, 8, 16, 32}) {
        const Estimate loss = loss_gauss_hermite(problem, state, order).loss;
        const double error = std::abs(loss.value - exact.value);
        INFO("order " << order << ", error " << error << ", stated " << loss.error);
        CHECK(error <= loss.error + exact.error);
        CHECK(error < before / 3);
        before = error;
    }
    CHECK(before < 1e-6);
    CHECK_THROWS_AS(loss_gauss_hermite(problem, state, 1), InvalidInput);
    CHECK_THROWS_AS(loss_gauss_hermite({Activation::bayes_softmax, 5, Prior::flipping_spike(2, 1)},
                                       random_state(5, 2, 0.4, 0.3, 6), 32),
                    InvalidInput);
}

TEST_CASE("the gradient of the Gauss-Hermite route converges to the exact one, and its error covers") {
    for (const Activation activation : {Activation::softmax, Activation::softmax_1, Activation::bayes_softmax}) {
        INFO(name(activation));
        const Problem problem{activation, 4, Prior::flipping_spike(1, 1)};
        State state = random_state(2, 2, 0.3, 0.3, 7);
        state.b << 0.4, -0.3;
        state.v = 1.2;
        const LossEstimate exact = loss_exact(problem, state, {1e-11, true});
        const Eigen::VectorXd truth = flatten(exact.gradient->value);
        REQUIRE(truth.head(8).cwiseAbs().minCoeff() > 1e-4);  // every entry of m and r is at stake
        for (const int order : {8, 20}) {
            const LossEstimate result = loss_gauss_hermite(problem, state, order, true);
            CHECK(std::abs(result.loss.value - exact.loss.value) <= result.loss.error + exact.loss.error);
            const Eigen::VectorXd errors = (flatten(result.gradient->value) - truth).cwiseAbs();
            const Eigen::VectorXd stated = flatten(result.gradient->error) + flatten(exact.gradient->error);
            INFO("order " << order << ", errors " << errors.transpose() << ", stated " << stated.transpose());
            CHECK((errors.array() <= stated.array()).all());
            if (order == 20) CHECK(stated.maxCoeff() < 1e-5);  // a term wrong by 1% would be noticed
        }
    }
}

TEST_CASE("equal heads and heads without scores have their gradient too") {
    const Problem problem{Activation::softmax, 4, Prior::spike(1)};
    for (const Eigen::Vector2d& m : {Eigen::Vector2d(0.5, 0.5), Eigen::Vector2d(0.5, 0), Eigen::Vector2d(0, 0)}) {
        const State state = state_at(m);
        const Eigen::VectorXd truth = flatten(loss_exact(problem, state, {1e-11, true}).gradient->value);
        const Eigen::VectorXd found = flatten(loss_gauss_hermite(problem, state, 24, true).gradient->value);
        INFO("m = " << m.transpose() << ": " << found.transpose() << " against " << truth.transpose());
        CHECK((found - truth).cwiseAbs().maxCoeff() < 1e-7);
    }
}
