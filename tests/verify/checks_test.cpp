// Negative controls of the checks, and the same verdicts for other seeds.
#include <lemmata/error.hpp>
#include <lemmata/verify/ledger.hpp>

#include <catch2/catch.hpp>

using namespace lemmata;
using namespace lemmata::verify;

namespace {

template <class T>
T named(const std::vector<T>& all, const std::string& id) {
    for (const auto& one : all)
        if (one.id == id) return one;
    throw InvalidInput("id", id, "in the ledger");
}

Entry run(const std::string& id, std::uint64_t seed = 1, const std::string& expression = "") {
    Claim claim = named(all_claims(), id);
    if (!expression.empty()) claim.expression = expression;
    return run_check(claim, named(all_checks(), id), {Tier::quick, seed, [] {}});
}

}  // namespace

TEST_CASE("dynamics claims that are off by 1 percent, a sign or a factor are refuted") {
    const std::string rate = "2*V/H*(L - 1)/L^2*(1 - 2/L)";
    CHECK(run("prop-III.4/escape-rate/softmax", 1, rate).printed == Verdict::supported);
    for (const std::string& wrong : {"1.01*" + rate, "-" + rate, "2*" + rate, rate + "*H"})
        CHECK(run("prop-III.4/escape-rate/softmax", 1, wrong).printed == Verdict::refuted);
    CHECK(run("prop-III.4/escape-rate/bayes-softmax", 1, rate).printed == Verdict::refuted);
    const std::string slope = "1/(4*V/H*(L - 1)/L^2*(1 - 2/L))";
    CHECK(run("prop-III.4/log-D", 1, "1.01*" + slope).printed == Verdict::refuted);
    CHECK(run("prop-III.4/log-D", 1, "2*" + slope).printed == Verdict::refuted);
}

TEST_CASE("a wrong Hessian in the biases is refuted by either route") {
    for (const char* wrong : {"2.02*v^2*L/H^2*B^2/(L + B)^4", "2*v^2*L/H*B^2/(L + B)^4", "0"})
        CHECK(run("lemma-A.5/eq-56", 1, wrong).printed == Verdict::refuted);
    CHECK(run("lemma-A.5/eq-57", 1, "2/H^2/L^3").printed == Verdict::refuted);
}

TEST_CASE("the attack on Lemma A.2 ends in a case that can be checked by hand") {
    const Entry entry = run("lemma-A.2/along-mean");
    CHECK(outcome(entry) == "refuted -> supported");
    const std::string& witness = entry.evidence.front().quantity;
    INFO(witness);
    CHECK(witness.find("softmax, L=2") != std::string::npos);
    CHECK(witness.find("r=0, b=0, v=1") != std::string::npos);
}

TEST_CASE("verdicts do not depend on the seed") {
    for (const char* id : {"lemma-A.1", "lemma-A.2/along-mean", "lemma-A.2/c-positive-any-r/softmax-1", "eq-5",
                           "lemma-III.1/eq-13/bayes-softmax", "prop-III.3/zero-mean", "prop-III.1/eq-9"}) {
        INFO(id);
        const std::string first = outcome(run(id, 1));
        CHECK(outcome(run(id, 2)) == first);
        CHECK(outcome(run(id, 3)) == first);
    }
}
