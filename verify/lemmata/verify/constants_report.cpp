#include <lemmata/symbolic/pointwise.hpp>
#include <lemmata/symbolic/printed.hpp>
#include <lemmata/symbolic/printer.hpp>
#include <lemmata/verify/constants_report.hpp>

#include <fmt/format.h>

namespace lemmata::verify {

using namespace symbolic;

std::string sign_text(const GiNaC::ex& e, const ActivationFamily& family, std::string* certificate) {
    std::string result;
    const auto runs = sign_by_tokens(e, domain_of(family), family.symbols.L);
    for (const SignRun& run : runs) {
        const bool only = runs.size() == 1 && run.certificate.sign == Sign::zero;
        std::string range = fmt::format("L >= {}", run.first);
        if (run.last == run.first)
            range = fmt::format("L = {}", run.first);
        else if (run.last > 0)
            range = fmt::format("L = {}..{}", run.first, run.last);
        if (!result.empty()) result += ", ";
        std::optional<GiNaC::ex> decides;
        if (run.certificate.sign == Sign::changes)
            // A run's own certificate speaks of its first L only.
            decides = deciding_polynomial(run.last == run.first ? run.certificate
                                                                : prove_sign(e, domain_of(family, run.first)));
        const std::string sign =
            decides ? fmt::format("that of {}", print(*decides)) : std::string(name(run.certificate.sign));
        result += only ? "= 0" : fmt::format("{} for {}", sign, range);
        if (certificate != nullptr) *certificate += print(run.certificate);
    }
    return result;
}

ConstantsTable constants_table(ScoreDerivatives& derivatives, const std::vector<int>& orders, bool on_line,
                               const Substitution& substitution) {
    ConstantsTable table;
    table.activation = derivatives.family().name;
    const auto line = scale_on_line(derivatives);
    if (line && on_line) table.stage = fmt::format("on the line v = {}", print(*line));
    for (const Constant& constant : constants(derivatives, orders, on_line)) {
        ConstantRow row;
        row.key = constant.key;
        row.latex_key = constant.latex;
        row.meaning = constant.meaning;
        row.closed_form = print(constant.value);
        row.latex = print(constant.value, Notation::latex);
        row.zero = constant.value.is_zero();
        row.sign = sign_text(constant.value, derivatives.family(), &row.certificate);
        if (!substitution.empty()) {
            const GiNaC::ex there = constant.value.subs(substitution, GiNaC::subs_options::no_pattern).normal();
            row.exact = print(there);
            if (GiNaC::is_a<GiNaC::numeric>(there)) row.value = GiNaC::ex_to<GiNaC::numeric>(there).to_double();
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

nlohmann::ordered_json to_json(const ConstantsTable& table) {
    nlohmann::ordered_json json{{"schema", 1}, {"activation", table.activation}};
    if (!table.stage.empty()) json["stage"] = table.stage;
    json["constants"] = nlohmann::ordered_json::object();
    for (const ConstantRow& row : table.rows) {
        nlohmann::ordered_json entry{
            {"closed_form", row.closed_form}, {"latex", row.latex}, {"meaning", row.meaning}, {"sign", row.sign}};
        if (!row.exact.empty()) entry["exact"] = row.exact;
        if (row.value) entry["value"] = *row.value;
        json["constants"][row.key] = std::move(entry);
    }
    return json;
}

namespace {

// A table cell: bars would end it.
std::string cell(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '|') result += '\\';
        result += c;
    }
    return result;
}

std::string constants_section(const std::string& activation) {
    ScoreDerivatives derivatives(builtin_activation(activation));
    const ConstantsTable table = constants_table(derivatives, {1, 2, 3, 4}, true);
    std::string out = fmt::format("## {}{}{}\n\n", activation, table.stage.empty() ? "" : ", ", table.stage);
    out += "| constant | multiplies | closed form | sign |\n|---|---|---|---|\n";
    std::string zeros;
    for (const ConstantRow& row : table.rows) {
        if (row.zero && row.key.front() == '[') {
            zeros += fmt::format("{}`{}`", zeros.empty() ? "" : ", ", row.key);
            continue;
        }
        out += fmt::format("| `{}` | {} | ${}$ | {} |\n", row.key, cell(row.meaning), row.latex, row.sign);
    }
    if (!zeros.empty()) out += fmt::format("\nZero: {}.\n", zeros);
    return out + "\n";
}

std::string formulas_section(Derivations& derivations) {
    std::string out = "| id | equation | what | verdict |\n|---|---|---|---|\n";
    for (const PrintedFormula& f : printed_formulas()) {
        const Comparison c = derivations.of(f.activation).compare(f);
        std::string verdict(name(c.verdict));
        if (c.verdict == symbolic::Verdict::refuted)
            verdict +=
                fmt::format(" at {}: printed {}, derived {}. {}. Corrected: `{}` ({})", print(c.witness),
                            print(c.printed_there), print(c.derived_there), f.note, f.corrected, name(c.corrected));
        if (c.verdict == symbolic::Verdict::ill_formed)
            verdict += fmt::format(": {}. Corrected: `{}` ({})", f.note, f.corrected, name(c.corrected));
        out += fmt::format("| `{}` | {} | {} | {} |\n", f.id, f.equation, cell(f.quantity), cell(verdict));
    }
    return out + "\n";
}

std::string signs_section(Derivations& derivations) {
    std::string out = "| id | claim | verdict |\n|---|---|---|\n";
    for (const SignClaim& claim : sign_claims()) {
        const SignVerdict v = derivations.of(claim.activation).check(claim);
        std::string verdict(name(v.verdict));
        if (v.verdict == symbolic::Verdict::refuted)
            verdict += v.witness.empty() ? ": it is 0" : fmt::format(" at {}", print(v.witness));
        if (claim.corrected > 0 && v.corrected.sign == claim.sign)
            verdict += fmt::format("; proved for L >= {}", claim.corrected);
        out += fmt::format("| `{}` | {} {} for L >= {}, {} | {} |\n", claim.id, cell(claim.quantity), name(claim.sign),
                           claim.tokens, claim.equation, verdict);
    }
    for (const ActivationDefinition& definition : builtin_activations())
        for (const PointwiseSign& p : pointwise_gradient_signs(define_activation(definition)))
            out += fmt::format("| `lemma-A.2/eq-30-31/{}` | {} at every score, (30)-(31) | {} |\n", definition.name,
                               cell(p.statement), p.certificate.sign == p.claimed ? "proved" : "not proved");
    return out + "\n";
}

}  // namespace

std::string constants_document() {
    std::string out =
        "# Constants of the loss at the unspecialized point\n\n"
        "Made by `lemmata constants all --format markdown`; a test keeps it current. `docs/symbolic.md` says how\n"
        "the constants are derived and what the names mean. L tokens, H heads, B = e^b, v the scale, V = Var theta_f,\n"
        "W = Var of a feature already learnt (overlaps w). Signs are proved for H >= 1 and B, V, W > 0.\n\n";
    for (const ActivationDefinition& definition : builtin_activations()) out += constants_section(definition.name);
    Derivations derivations;
    out +=
        "## The paper's formulas\n\nEach right-hand side as printed in arXiv:2603.03993v1 against the derived one.\n\n";
    out += formulas_section(derivations);
    out += "## The paper's signs\n\n" + signs_section(derivations);
    out.pop_back();
    return out;
}

}  // namespace lemmata::verify
