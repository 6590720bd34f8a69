#include <lemmata/symbolic/mutants.hpp>
#include <lemmata/symbolic/pointwise.hpp>
#include <lemmata/symbolic/printed.hpp>
#include <lemmata/symbolic/printer.hpp>

#include <catch2/catch.hpp>

#include <random>
#include <set>

using namespace lemmata::symbolic;

namespace {

bool has_prefix(const std::string& id, const std::vector<std::string>& prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& p) { return id.rfind(p, 0) == 0; });
}

}  // namespace

TEST_CASE("the paper's formulas are proved, or refuted with a witness and corrected") {
    // What computing found. A formula that changes its verdict is news, whichever way.
    const std::vector<std::string> wrong{
        "lemma-A.2/eq-22", "lemma-A.2/eq-24", "lemma-A.2/eq-25",     "lemma-A.2/eq-27",     "lemma-A.2/eq-28",
        "lemma-A.2/eq-29", "lemma-A.5/c2/",   "lemma-A.5/eq-41/any", "lemma-A.5/remainder", "lemma-A.6/eq-63",
        "lemma-A.6/c1",    "lemma-A.6/c2",    "lemma-A.6/c3",        "lemma-A.6/remainder"};
    Derivations derivations;
    std::set<std::string> ids;
    for (const PrintedFormula& formula : printed_formulas()) {
        INFO(formula.id << ": " << formula.printed);
        CHECK(ids.insert(formula.id).second);
        const Comparison c = derivations.of(formula.activation).compare(formula);
        Verdict expected = Verdict::proved;
        if (has_prefix(formula.id, wrong) || formula.id == "lemma-A.4/eq-33/along-b" || formula.id == "lemma-A.6/eq-67")
            expected = Verdict::refuted;
        if (has_prefix(formula.id, {"lemma-A.5/eq-49"})) expected = Verdict::ill_formed;
        CHECK(c.verdict == expected);
        CHECK(formula.corrected.empty() == (expected == Verdict::proved));
        if (!formula.corrected.empty()) CHECK(c.corrected == Verdict::proved);
        if (expected == Verdict::refuted) {
            CHECK_FALSE(c.printed_there == c.derived_there);
            CHECK((c.printed.subs(c.witness) - c.printed_there).is_zero());
        }
    }
}

TEST_CASE("the table after eq. 55 is proved for symbolic L and H") {
    Derivations derivations;
    int rows = 0;
    for (const PrintedFormula& formula : printed_formulas()) {
        if (formula.equation != "table after (55)") continue;
        INFO(formula.id);
        CHECK(derivations.of(formula.activation).compare(formula).verdict == Verdict::proved);
        ++rows;
    }
    CHECK(rows == 6);
}

TEST_CASE("ratios tell what is wrong with a formula") {
    Derivations derivations;
    const auto ratio = [&](const std::string& id) -> std::string {
        for (const PrintedFormula& formula : printed_formulas())
            if (formula.id == id) return print(derivations.of(formula.activation).compare(formula).ratio);
        return "no such formula";
    };
    CHECK(ratio("lemma-A.2/eq-25/softmax") == "H");
    CHECK(ratio("lemma-A.4/eq-33/along-b") == "1/H");
    CHECK(ratio("lemma-A.5/c2/bayes-softmax") == "L");
    CHECK(ratio("lemma-A.6/c3") == "1/2");
}

TEST_CASE("the paper's signs are proved, or refuted with a witness and corrected") {
    Derivations derivations;
    std::set<std::string> ids;
    for (const SignClaim& claim : sign_claims()) {
        INFO(claim.id);
        CHECK(ids.insert(claim.id).second);
        const SignVerdict v = derivations.of(claim.activation).check(claim);
        const bool wrong =
            has_prefix(claim.id, {"lemma-A.6/ct4-positive", "lemma-A.6/ct5-positive", "prop-III.4/r-hessian"});
        CHECK(v.verdict == (wrong ? Verdict::refuted : Verdict::proved));
        CHECK(recheck(v.certificate));
        if (claim.corrected > 0) {
            CHECK(v.corrected.sign == claim.sign);
            CHECK(recheck(v.corrected));
        }
        // The opposite claim is refuted.
        SignClaim opposite = claim;
        opposite.sign = claim.sign == Sign::negative ? Sign::positive : Sign::negative;
        CHECK(derivations.of(claim.activation).check(opposite).verdict == Verdict::refuted);
    }
}

TEST_CASE("where L at least 3 is needed") {
    Derivations derivations;
    const auto sign = [&](const std::string& activation, const std::string& formula, int tokens, int heads) {
        Derivation& d = derivations.of(activation);
        const GiNaC::ex e = d.value(parse_formula(formula, "test"), Stage::line, "test");
        return prove_sign(e, domain_of(d.derivatives().family(), tokens, heads)).sign;
    };
    CHECK(sign("softmax", "c3", 2, 1) == Sign::nonnegative);        // 0 at L = 2
    CHECK(sign("softmax-1", "c3", 2, 1) == Sign::positive);         // not needed
    CHECK(sign("bayes-softmax", "c3", 2, 1) == Sign::nonnegative);  // 0 at L = 2, H = 1
    CHECK(sign("bayes-softmax", "c3", 2, 2) == Sign::positive);     // not needed for two heads
    CHECK(sign("bayes-softmax", "c3 + c4", 2, 2) == Sign::positive);
    CHECK(sign("softmax", "C1", 2, 1) == Sign::nonnegative);
    CHECK(sign("bayes-softmax", "C1", 2, 1) == Sign::positive);
    CHECK(sign("bayes-softmax", "C2", 2, 1) == Sign::negative);
}

TEST_CASE("the inequalities behind the first gradient hold for every score") {
    for (const ActivationDefinition& definition : builtin_activations())
        for (const PointwiseSign& p : pointwise_gradient_signs(define_activation(definition))) {
            INFO(definition.name << ": " << p.statement);
            CHECK(p.certificate.sign == p.claimed);
            CHECK(recheck(p.certificate));
        }
    // A softmax that sums to two breaks the first of them.
    const auto doubled = pointwise_gradient_signs(define_activation({"doubled", "exp(x)", "S/2", "1", {}}));
    CHECK(doubled.front().certificate.sign == Sign::changes);
}

TEST_CASE("mutants of the right formulas are refuted") {
    Derivations derivations;
    std::mt19937_64 random(20260304);
    int refuted = 0, equivalent = 0;
    for (const PrintedFormula& formula : printed_formulas()) {
        Derivation& d = derivations.of(formula.activation);
        const Formula right =
            parse_formula(formula.corrected.empty() ? formula.printed : formula.corrected, formula.id);
        const GiNaC::ex value = d.value(right, formula.stage, formula.id);
        const Domain domain = domain_of(d.derivatives().family());
        for (const Mutant& mutant : mutants(right)) {
            const GiNaC::ex mutated = d.value(mutant.formula, formula.stage, formula.id);
            const Equality equality = equal(mutated, value, domain);
            INFO(formula.id << " " << mutant.kind << ": " << text(mutant.formula));
            REQUIRE(equality.truth != Truth::unknown);
            if (equality.truth == Truth::no) {
                ++refuted;
                continue;
            }
            // An equivalent mutant must not differ anywhere: exact values at random rationals.
            ++equivalent;
            GiNaC::exmap point;
            for (const GiNaC::ex& symbol : symbols_of(GiNaC::lst{mutated, value}))
                point[symbol] = GiNaC::numeric(long(random() % 1000 + 1001), long(random() % 97 + 2));
            CHECK((mutated.subs(point) - value.subs(point)).is_zero());
        }
    }
    INFO(refuted << " refuted, " << equivalent << " equivalent");
    CHECK(refuted >= 1000);
    CHECK(equivalent < refuted / 2);
}
