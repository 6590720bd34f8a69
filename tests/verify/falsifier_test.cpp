#include <lemmata/error.hpp>
#include <lemmata/expressivity.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/verify/falsifier.hpp>

#include <catch2/catch.hpp>

using namespace lemmata;
using namespace lemmata::verify;

namespace {

const Context quick{Tier::quick, 1, [] {}};

// The claim that softmax, or whatever it is, has no loss below the floor of symmetric priors.
Hunt floor_hunt() {
    Hunt hunt;
    hunt.violation = [](const ModelCase& c) -> Violation {
        const double L = static_cast<double>(c.problem.tokens);
        const Estimate loss = loss_exact(c.problem, c.state).loss;
        return {L / (4 * (L - 1)) - loss.value, margin(loss), 1};
    };
    return hunt;
}

}  // namespace

TEST_CASE("a planted false claim is found and simplified") {
    const HuntResult result = hunt(floor_hunt(), quick);
    REQUIRE(result.counterexample);
    const ModelCase& simple = *result.counterexample;
    INFO(describe(simple));
    // One head, one atom, two tokens: the simplest case there is.
    CHECK(simple.state.heads() == 1);
    CHECK(simple.state.features() == 1);
    CHECK(simple.problem.prior.components().size() == 1);
    CHECK(simple.problem.tokens == 2);
    CHECK(simple.state.r.isZero());
    CHECK(result.counterexample_violation.amount > 1e-3);
    CHECK(complexity(simple) <= complexity(*result.worst));
    const Evidence e = attack(Form::printed, "floor minus loss", floor_hunt(), quick);
    CHECK(e.outcome == Outcome::violated);
    CHECK(e.quantity.find("L=2") != std::string::npos);
}

TEST_CASE("the true claim is left alone, and the attack had cases that could tell") {
    Hunt hunt = floor_hunt();
    hunt.conform = [](ModelCase c) -> std::optional<ModelCase> {
        if (c.problem.activation != Activation::softmax || !c.problem.prior.symmetric()) return std::nullopt;
        return c;
    };
    hunt.draws = 400;
    const Evidence e = attack(Form::printed, "floor minus loss", hunt, quick);
    INFO(e.quantity);
    CHECK(e.outcome == Outcome::holds);
}

TEST_CASE("hypotheses that nothing satisfies are vacuous, blunt attacks are no support") {
    Hunt hunt = floor_hunt();
    hunt.conform = [](const ModelCase&) -> std::optional<ModelCase> { return std::nullopt; };
    CHECK(attack(Form::printed, "", hunt, quick).outcome == Outcome::vacuous);
    hunt = floor_hunt();
    hunt.violation = [](const ModelCase&) -> Violation { return {0, 1, 1}; };
    CHECK(attack(Form::printed, "", hunt, quick).outcome == Outcome::undecided);
    hunt.violation = [](const ModelCase&) -> Violation { throw Unfinished("never"); };
    CHECK(attack(Form::printed, "", hunt, quick).outcome == Outcome::undecided);
    // Beyond its error, but too small against its scale to be more than an engine's slip.
    hunt.violation = [](const ModelCase&) -> Violation { return {1e-6, 1e-9, 1}; };
    CHECK(attack(Form::printed, "", hunt, quick).outcome == Outcome::holds);
}

TEST_CASE("cases are drawn from all corners, and are valid") {
    bool symmetric = false, atoms = false, spread = false, large = false;
    for (std::uint64_t i = 0; i < 200; ++i) {
        const ModelCase c = draw_case(3, i);
        CHECK_NOTHROW(validate(c.problem, c.state));
        CHECK_NOTHROW(validate(c.problem, nearby_case(c, 0.3, 3, i).state));
        symmetric |= c.problem.prior.symmetric();
        atoms |= c.problem.prior.discrete();
        spread |= !c.problem.prior.discrete();
        large |= c.problem.tokens == 100;
        CHECK(describe(c) == describe(draw_case(3, i)));
    }
    CHECK((symmetric && atoms && spread && large));
}
