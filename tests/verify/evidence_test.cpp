#include <lemmata/verify/evidence.hpp>

#include <catch2/catch.hpp>
#include <limits>

using namespace lemmata;
using namespace lemmata::verify;

namespace {

Evidence with(Outcome outcome, bool proof = false, Form form = Form::printed) {
    Evidence e;
    e.outcome = outcome;
    e.proof = proof;
    e.form = form;
    return e;
}

}  // namespace

TEST_CASE("verdicts follow from evidence") {
    using enum Outcome;
    const auto verdict = [](std::vector<Evidence> evidence) { return judge(evidence, Form::printed); };
    CHECK(verdict({}) == Verdict::inconclusive);
    CHECK(verdict({with(holds)}) == Verdict::supported);
    CHECK(verdict({with(holds), with(holds, true)}) == Verdict::proved);
    CHECK(verdict({with(holds), with(violated)}) == Verdict::refuted);
    CHECK(verdict({with(holds), with(undecided)}) == Verdict::inconclusive);
    CHECK(verdict({with(undecided, true)}) == Verdict::inconclusive);
    CHECK(verdict({with(Outcome::vacuous)}) == Verdict::vacuous);
    // A proof and a counterexample cannot both be right.
    CHECK(verdict({with(holds, true), with(violated)}) == Verdict::inconclusive);
    // Evidence on one form says nothing about the other.
    CHECK(verdict({with(holds, true, Form::corrected)}) == Verdict::inconclusive);
    CHECK(judge({with(violated), with(holds, false, Form::corrected)}, Form::corrected) == Verdict::supported);
}

TEST_CASE("a comparison holds, is violated, or cannot tell") {
    const auto outcome = [](double expected, Estimate measured, double resolution) {
        return compare(Form::printed, "", "", expected, measured, resolution).outcome;
    };
    const Estimate sharp{1.0, 1e-9, ErrorKind::bound};
    CHECK(outcome(1.0, sharp, 0.01) == Outcome::holds);
    CHECK(outcome(1.01, sharp, 0.01) == Outcome::violated);
    CHECK(outcome(0.99, sharp, 0.01) == Outcome::violated);
    CHECK(outcome(-1.0, sharp, 0.01) == Outcome::violated);
    // An error bar that would swallow a 1% mistake supports nothing …
    CHECK(outcome(1.0, {1.0, 0.02, ErrorKind::bound}, 0.01) == Outcome::undecided);
    CHECK(outcome(1.0, {1.0, 0.003, ErrorKind::standard}, 0.01) == Outcome::undecided);
    // … but a gross violation shows even through a wide one.
    CHECK(outcome(2.0, {1.0, 0.02, ErrorKind::bound}, 0.01) == Outcome::violated);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(outcome(1.0, {nan, 1e-9, ErrorKind::bound}, 0.01) == Outcome::undecided);
    CHECK(outcome(1.0, {1.0, std::numeric_limits<double>::infinity(), ErrorKind::bound}, 0.01) == Outcome::undecided);
}

TEST_CASE("a bound holds, is broken, or cannot be told") {
    const auto most = [](double bound, Estimate x) { return at_most(Form::printed, "", "", bound, x).outcome; };
    const auto least = [](double bound, Estimate x) { return at_least(Form::printed, "", "", bound, x).outcome; };
    CHECK(most(1, {0.9, 0.01}) == Outcome::holds);
    CHECK(most(1, {1.1, 0.01}) == Outcome::violated);
    CHECK(most(1, {0.9, 0.2}) == Outcome::undecided);
    CHECK(most(1, {1.1, 0.03, ErrorKind::standard}) == Outcome::undecided);
    CHECK(most(1, {1, 0}) == Outcome::holds);
    CHECK(least(1, {1.1, 0.01}) == Outcome::holds);
    CHECK(least(1, {0.9, 0.01}) == Outcome::violated);
    CHECK(least(1, {0.9, 0.2}) == Outcome::undecided);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(most(1, {nan, 0}) == Outcome::undecided);
    CHECK(least(1, {2, nan}) == Outcome::undecided);
}
