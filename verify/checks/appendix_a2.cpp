// Every formula and sign printed in App. A.2, against its derivation from the definition of the
// loss, for symbolic L and H (lemmata/symbolic/printed.hpp). Equal normal forms, and certificates of
// sign over the whole range, are proofs; a point with different exact values is a witness.
#include "checks/checks.hpp"

#include <lemmata/symbolic/formula_latex.hpp>
#include <lemmata/symbolic/printed.hpp>
#include <lemmata/symbolic/printer.hpp>
#include <lemmata/verify/claim.hpp>
#include <lemmata/verify/paper_order.hpp>

#include <fmt/format.h>
#include <memory>
#include <regex>

namespace lemmata::verify::checks {
namespace {

using symbolic::Comparison;
using symbolic::Derivation;
using symbolic::Derivations;
using symbolic::print;
using symbolic::PrintedFormula;
using symbolic::SignClaim;
using symbolic::SignVerdict;

std::string stage_hypothesis(symbolic::Stage stage) {
    switch (stage) {
        case symbolic::Stage::any:
            return "$m=r=0$, equal biases";
        case symbolic::Stage::line:
            return "$m=r=0$, equal biases; for softmax-1 $Lv=L+e^{\\tilde b}$";
        case symbolic::Stage::start:
            return "$m=r=0$, $b=0$, $v=1$";
    }
    return "";
}

std::string_view relation(symbolic::Sign sign) {
    return name(sign);
}

Outcome outcome_of(symbolic::Verdict verdict) {
    switch (verdict) {
        case symbolic::Verdict::proved:
            return Outcome::holds;
        case symbolic::Verdict::refuted:
            return Outcome::violated;
        default:
            return Outcome::undecided;
    }
}

Evidence symbolic_evidence(Form form, const std::string& quantity, const std::string& expected,
                           const std::string& measured, symbolic::Verdict verdict) {
    Evidence e;
    e.form = form;
    e.method = "symbolic";
    e.quantity = quantity;
    e.expected = expected;
    e.measured = measured;
    e.outcome = outcome_of(verdict);
    e.proof = e.outcome == Outcome::holds;
    return e;
}

std::vector<Evidence> compare_formula(const PrintedFormula& formula, Derivation& derivation) {
    const Comparison c = derivation.compare(formula);
    std::vector<Evidence> evidence;
    const std::string derived = print(c.derived);
    if (c.verdict == symbolic::Verdict::refuted)
        evidence.push_back(symbolic_evidence(Form::printed, fmt::format("{} at {}", formula.quantity, print(c.witness)),
                                             print(c.printed_there), print(c.derived_there), c.verdict));
    else
        evidence.push_back(symbolic_evidence(
            Form::printed, c.problem.empty() ? formula.quantity : fmt::format("{} ({})", formula.quantity, c.problem),
            formula.printed, derived, c.verdict));
    if (!formula.corrected.empty())
        evidence.push_back(
            symbolic_evidence(Form::corrected, formula.quantity, formula.corrected, derived, c.corrected));
    return evidence;
}

std::vector<Evidence> check_sign(const SignClaim& claim, Derivation& derivation) {
    const SignVerdict v = derivation.check(claim);
    const std::string expression = print(v.certificate.expression);
    std::vector<Evidence> evidence;
    const std::string where = v.witness.empty() ? "" : " at " + print(v.witness);
    evidence.push_back(symbolic_evidence(Form::printed, fmt::format("{} = {}{}", claim.quantity, expression, where),
                                         fmt::format("{} for L >= {}", relation(claim.sign), claim.tokens),
                                         std::string(name(v.certificate.sign)), v.verdict));
    if (claim.corrected > 0) {
        const bool shown = v.corrected.sign == claim.sign && recheck(v.corrected);
        evidence.push_back(symbolic_evidence(Form::corrected, fmt::format("{} = {}", claim.quantity, expression),
                                             fmt::format("{} for L >= {}", relation(claim.sign), claim.corrected),
                                             std::string(name(v.corrected.sign)),
                                             shown ? symbolic::Verdict::proved : symbolic::Verdict::unknown));
    }
    if (!claim.corrected_formula.empty()) {
        SignClaim instead = claim;
        instead.formula = claim.corrected_formula;
        const SignVerdict w = derivation.check(instead);
        evidence.push_back(symbolic_evidence(Form::corrected, print(w.certificate.expression),
                                             fmt::format("{} for L >= {}", relation(claim.sign), claim.tokens),
                                             std::string(name(w.certificate.sign)), w.verdict));
    }
    return evidence;
}

std::string mathematics(const std::string& formula) {
    return "$" + symbolic::latex(symbolic::parse_formula(formula, "formula")) + "$";
}

// "> 0 for all L >= 3"
std::string mathematics(symbolic::Sign sign, int tokens) {
    std::string tex(relation(sign));
    if (tex.starts_with(">=")) tex.replace(0, 2, "\\ge");
    if (tex.starts_with("<=")) tex.replace(0, 2, "\\le");
    return fmt::format("${}$ for all $L\\ge{}$", tex, tokens);
}

// Words that name constants, "c_3^(2)", with these as mathematics.
std::string words(const std::string& quantity) {
    const std::string tilded =
        std::regex_replace(quantity, std::regex(R"(\bct_(\d)\^\((\d)\))"), "$$\\tilde c_$1^{($2)}$$");
    return std::regex_replace(tilded, std::regex(R"((^|[^\w ~])?\bc(_\d)?\^\((\d)\))"), "$1$$c$2^{($3)}$$");
}

std::string place_of(const std::string& id, const std::string& equation) {
    const std::string result = heading(section_of(id));
    if (equation.starts_with("App.")) return result + ", " + equation;
    return "App. A.2, " + (equation.find(result) == std::string::npos ? result + ", " + equation : equation);
}

Claim claim_of(const PrintedFormula& f) {
    Claim claim;
    claim.id = f.id;
    claim.paper = "2603.03993v1";
    claim.place = place_of(f.id, f.equation);
    claim.statement = fmt::format("{} is {}.", words(f.quantity), mathematics(f.printed));
    claim.hypotheses = {f.activation, stage_hypothesis(f.stage)};
    claim.expression = f.printed;
    if (!f.corrected.empty())
        claim.corrected = Correction{fmt::format("{}: {}.", mathematics(f.corrected), f.note), f.corrected, f.finding};
    return claim;
}

Claim claim_of(const SignClaim& s) {
    Claim claim;
    claim.id = s.id;
    claim.paper = "2603.03993v1";
    claim.place = place_of(s.id, s.equation);
    claim.kind = kind_from_id(s.id);
    const std::string quantity = words(s.quantity), formula = mathematics(s.formula);
    claim.statement =
        fmt::format("{} is {}.", quantity == formula ? formula : fmt::format("{}, {},", quantity, formula),
                    mathematics(s.sign, s.tokens));
    claim.hypotheses = {s.activation, stage_hypothesis(s.stage), fmt::format("$L\\ge{}$, any $H$", s.tokens)};
    claim.expression = s.formula;
    if (s.corrected > 0)
        claim.corrected =
            Correction{fmt::format("It is {}.", mathematics(s.sign, s.corrected)), s.formula, "missing-hypothesis"};
    if (!s.corrected_formula.empty()) claim.corrected = Correction{s.note + ".", s.corrected_formula, s.finding};
    return claim;
}

}  // namespace

std::vector<Claim> appendix_a2_claims() {
    std::vector<Claim> claims;
    for (const auto& formula : symbolic::printed_formulas()) claims.push_back(claim_of(formula));
    for (const auto& sign : symbolic::sign_claims()) claims.push_back(claim_of(sign));
    return claims;
}

std::vector<Check> appendix_a2() {
    const auto derivations = std::make_shared<Derivations>();
    std::vector<Check> checks;
    for (const auto& formula : symbolic::printed_formulas())
        checks.push_back({formula.id,
                          {"symbolic"},
                          [derivations, formula](const Claim& claim, const Context& context) {
                              context.poll();
                              PrintedFormula claimed = formula;  // what is judged is the claim's wording
                              claimed.printed = claim.expression;
                              claimed.corrected = claim.corrected ? claim.corrected->expression : "";
                              return compare_formula(claimed, derivations->of(formula.activation));
                          },
                          true});
    for (const auto& sign : symbolic::sign_claims())
        checks.push_back({sign.id, {"symbolic"}, [derivations, sign](const Claim&, const Context& context) {
                              context.poll();
                              return check_sign(sign, derivations->of(sign.activation));
                          }});
    return checks;
}

}  // namespace lemmata::verify::checks
