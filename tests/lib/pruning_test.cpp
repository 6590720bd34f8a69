#include <lemmata/error.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/pruning.hpp>

#include <catch2/catch.hpp>

using namespace lemmata;

TEST_CASE("a head less leaves the others as they were", "[pruning]") {
    const State state = random_state(4, 2, 1, 0.3, 5);
    const State rest = without_head(state, 1);
    REQUIRE(rest.heads() == 3);
    CHECK(rest.m.row(0) == state.m.row(0));
    CHECK(rest.m.row(1) == state.m.row(2));
    const Eigen::MatrixXd R = state.r * state.r.transpose(), left = rest.r * rest.r.transpose();
    CHECK(left(1, 2) == Approx(R(2, 3)).margin(1e-12));
    CHECK(left(0, 0) == Approx(R(0, 0)));
    CHECK_THROWS_AS(without_head(state, 4), InvalidInput);
    CHECK_THROWS_AS(without_head(random_state(1, 2, 1, 0.3, 5), 0), InvalidInput);
}

TEST_CASE("greedy pruning takes the useless head first and the best one never", "[pruning]") {
    // One head on the spike, one across it, one the wrong way: the loss decides, in that order reversed.
    const Problem problem{Activation::softmax, 5, Prior::spike(9)};
    const State trained = state_at((Eigen::MatrixXd(3, 1) << 2, 0, -1).finished());
    const auto loss = [&](const State& s) { return loss_exact(problem, s).loss; };
    const Pruning pruned = prune_greedily(loss, trained);
    CHECK(pruned.order == std::vector{2, 1, 0});
    REQUIRE(pruned.losses.size() == 3);
    CHECK(pruned.losses[0].value == loss(trained).value);
    CHECK(pruned.losses[2].value == loss(state_at(Eigen::MatrixXd::Constant(1, 1, 2))).value);
    CHECK(pruned.losses[1].value > pruned.losses[2].value);
    // The other way round, the same greed keeps the worst: the loss is what decides.
    const auto opposite = [&](const State& s) { return Estimate{-loss(s).value, 0}; };
    CHECK(prune_greedily(opposite, trained).order.back() == 2);
}
