#include <lemmata/error.hpp>
#include <lemmata/problem.hpp>
#include <lemmata/state.hpp>

#include <catch2/catch.hpp>

using namespace lemmata;
using Catch::Matchers::Contains;

TEST_CASE("a state survives flattening") {
    State state = random_state(3, 2, 0.7, 0.1, 5);
    state.b << 1, 2, 3;
    state.v = 0.4;
    const Eigen::VectorXd flat = flatten(state);
    CHECK(flat.size() == 3 * 2 + 9 + 3 + 1);
    const State back = unflatten(flat, 3, 2);
    CHECK(back.m == state.m);
    CHECK(back.r == state.r);
    CHECK(back.b == state.b);
    CHECK(back.v == state.v);
}

TEST_CASE("a random start is eta times the identity plus noise") {
    const State quiet = random_state(4, 3, 0.5, 0, 1);
    CHECK(quiet.m.isZero(0));
    CHECK(quiet.r == 0.5 * Eigen::MatrixXd::Identity(4, 4));
    CHECK(quiet.v == 1);
    const State noisy = random_state(4, 3, 0.5, 0.01, 1);
    // 28 normals of standard deviation 0.01: all within 6 of them, and not all the same.
    CHECK(noisy.m.cwiseAbs().maxCoeff() < 0.06);
    CHECK(noisy.m.cwiseAbs().maxCoeff() > 0.001);
    CHECK((noisy.r - quiet.r).cwiseAbs().maxCoeff() < 0.06);
    CHECK(random_state(4, 3, 0.5, 0.01, 2).m != noisy.m);
    CHECK_THROWS_AS(random_state(0, 3, 1, 0, 1), InvalidInput);
    CHECK_THROWS_AS(random_state(2, 3, -1, 0, 1), InvalidInput);
}

TEST_CASE("states that do not fit the problem are refused by name") {
    const Problem problem{Activation::softmax, 5, Prior::flipping_spike(2, 2)};
    CHECK_NOTHROW(validate(problem, zero_state(3, 2)));
    State state = zero_state(3, 3);
    CHECK_THROWS_WITH(validate(problem, state), Contains("state.m: 3 x 3; expected 3 x 2"));
    state = zero_state(3, 2);
    state.r.resize(2, 3);
    CHECK_THROWS_WITH(validate(problem, state), Contains("state.r: 2 x 3; expected 3 x 3"));
    state = zero_state(3, 2);
    state.b[1] = std::numeric_limits<double>::infinity();
    CHECK_THROWS_WITH(validate(problem, state), Contains("state.b"));
    state = zero_state(3, 2);
    state.v = std::nan("");
    CHECK_THROWS_WITH(validate(problem, state), Contains("state.v"));
    CHECK_THROWS_WITH(validate({Activation::softmax, 1, Prior::spike(1)}, zero_state(1, 1)),
                      Contains("model.tokens: 1"));
    CHECK_THROWS_WITH(validate(problem, zero_state(0, 2)), Contains("state.m"));
}
