#include <lemmata/error.hpp>
#include <lemmata/symbolic/mutants.hpp>
#include <lemmata/verify/ledger.hpp>
#include <lemmata/verify/mutation.hpp>

#include <algorithm>

namespace lemmata::verify {
namespace {

// The formula that should be right, or nothing.
std::string right_formula(const Entry& entry) {
    const auto stands = [](std::optional<Verdict> v) { return v == Verdict::proved || v == Verdict::supported; };
    if (stands(entry.printed)) return entry.claim.expression;
    if (stands(entry.corrected)) return entry.claim.corrected->expression;
    return "";
}

// Whether two formulas in the plain symbols are the same rational function. Those with sums and derivatives
// are left to the check, which knows what they mean.
bool same_function(const symbolic::Formula& a, const symbolic::Formula& b) {
    const symbolic::Symbols s;
    symbolic::FormulaContext context;
    context.symbols = {{"L", s.L}, {"H", s.H}, {"B", s.B}, {"v", s.v}, {"V", s.V}, {"W", s.W}};
    try {
        return (evaluate(a, context) - evaluate(b, context)).normal().is_zero();
    } catch (const InvalidInput&) {
        return false;
    }
}

MutationReport mutate(const Entry& entry, const Check& check, const Context& context) {
    MutationReport report{entry.claim.id, 0, {}, {}};
    const std::string right = right_formula(entry);
    if (right.empty()) return report;
    const symbolic::Formula original = symbolic::parse_formula(right, entry.claim.id);
    for (const auto& mutant : symbolic::mutants(original)) {
        context.poll();
        Claim claim = entry.claim;
        claim.expression = text(mutant.formula);
        claim.corrected.reset();
        const Verdict verdict = run_check(claim, check, context).printed;
        if (verdict == Verdict::refuted)
            ++report.refuted;
        else
            (verdict == Verdict::proved || same_function(mutant.formula, original) ? report.equivalent
                                                                                   : report.survived)
                .push_back(mutant.kind + ": " + claim.expression);
    }
    return report;
}

}  // namespace

std::vector<MutationReport> mutate_claims(const std::vector<std::string>& wanted, const Context& context,
                                          const std::function<void(double, const std::string&)>& progress) {
    const auto checks = all_checks();
    const auto claims = select_claims(wanted);
    std::vector<MutationReport> reports;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (progress) progress(static_cast<double>(i) / static_cast<double>(claims.size()), claims[i].id);
        const auto check =
            std::find_if(checks.begin(), checks.end(), [&](const auto& c) { return c.id == claims[i].id; });
        if (check == checks.end() || !check->judges_expression) continue;
        MutationReport report = mutate(run_check(claims[i], *check, context), *check, context);
        if (report.total() > 0) reports.push_back(std::move(report));
    }
    return reports;
}

}  // namespace lemmata::verify
