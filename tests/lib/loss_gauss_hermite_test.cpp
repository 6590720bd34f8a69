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
    CHECK_THROWS_AS(loss_gauss_hermite({Activation::bayes_softmax, 5, Prior::flipping_spike(2, 1)}, state),
                    InvalidInput);
}
