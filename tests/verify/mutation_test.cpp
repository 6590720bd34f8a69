#include <lemmata/verify/mutation.hpp>

#include <catch2/catch.hpp>

using namespace lemmata::verify;

TEST_CASE("no mutant of Lemma A.4's formulas survives") {
    const auto reports = mutate_claims({"lemma-A.4"}, {Tier::quick, 1, [] {}});
    REQUIRE(reports.size() >= 3);
    int refuted = 0;
    for (const auto& report : reports) {
        INFO(report.id);
        CHECK(report.survived.empty());
        CHECK(report.refuted > 0);
        CHECK(report.total() == report.refuted + int(report.equivalent.size()));
        refuted += report.refuted;
    }
    CHECK(refuted >= 50);
}

TEST_CASE("a formula that is measured, not proved, has its mutants refuted too") {
    const auto reports = mutate_claims({"prop-III.4/escape-rate/bayes-softmax"}, {Tier::quick, 1, [] {}});
    REQUIRE(reports.size() == 1);
    CHECK(reports.front().refuted >= 20);
    CHECK(reports.front().survived.empty());
}

TEST_CASE("claims without a formula have no mutants") {
    CHECK(mutate_claims({"prop-IV.1"}, {Tier::quick, 1, [] {}}).empty());
    CHECK(mutate_claims({"lemma-A.6/ct1-positive"}, {Tier::quick, 1, [] {}}).empty());
}
