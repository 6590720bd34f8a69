#include <lemmata/verify/statement.hpp>

#include <catch2/catch.hpp>

using namespace lemmata;
using namespace lemmata::verify;

namespace {

Verdict of(const Evidence& e) {
    return verdict({"", e});
}

}  // namespace

TEST_CASE("a share is judged by its whole interval", "[statement]") {
    CHECK(of(share_at_least("even", 8, 8, 0.5, 1)) == Verdict::supported);
    CHECK(of(share_at_least("even", 2, 2, 0.5, 1)) == Verdict::inconclusive);  // two runs say nothing
    CHECK(of(share_at_least("even", 6, 8, 0.5, 1)) == Verdict::inconclusive);
    CHECK(of(share_at_least("even", 0, 8, 0.5, 1)) == Verdict::refuted);
    // 0.005^(1/8) is the lower end if all of eight succeed.
    CHECK(share_at_least("even", 8, 8, 0.5, 1).error == Approx(1 - std::pow(0.005, 1.0 / 8)));
}

TEST_CASE("about a number is within a factor two, for the median", "[statement]") {
    const std::vector<double> near{0.7, 0.8, 0.9, 0.9, 1, 1, 1.1, 1.2, 1.3, 1.5};
    CHECK(of(about("time", 1, near, 1)) == Verdict::supported);
    CHECK(of(about("time", 3.2, near, 1)) == Verdict::refuted);       // not one run agrees
    CHECK(of(about("time", 1.9, near, 1)) == Verdict::inconclusive);  // some do
    CHECK(of(about("time", 1, {0.9, 1.1, 1}, 1)) == Verdict::inconclusive);
    CHECK(of(about("time", 1, {}, 1)) == Verdict::vacuous);
}

TEST_CASE("bounds and readings keep their difference", "[statement]") {
    CHECK(of(at_least(Form::printed, "flow", "", 0, {0.1, 0.01})) == Verdict::supported);
    CHECK(of(at_least(Form::printed, "flow", "", 0, {-0.1, 0.01})) == Verdict::refuted);
    CHECK(of(our_reading(at_least(Form::printed, "flow", "", 0, {-0.1, 0.01}))) == Verdict::inconclusive);
    CHECK(of(at_least(Form::printed, "flow", "", 0, {0.1, 0.2})) == Verdict::inconclusive);
}

TEST_CASE("a statement's record has its numbers and its verdict", "[statement]") {
    const Json json = to_json(Statement{"It is large.", at_least(Form::printed, "flow", "size", 2, {3, 0.5})});
    CHECK(json["text"] == "It is large.");
    CHECK(json["quantity"] == "size");
    CHECK(json["expected"] == ">= 2");
    CHECK(json["measured"] == 3);
    CHECK(json["uncertainty"] == 0.5);
    CHECK(json["verdict"] == "supported");
}
