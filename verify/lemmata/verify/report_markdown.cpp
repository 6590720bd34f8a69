#include <lemmata/verify/constants_report.hpp>
#include <lemmata/verify/errata.hpp>
#include <lemmata/verify/paper_order.hpp>
#include <lemmata/verify/prose.hpp>
#include <lemmata/verify/report.hpp>
#include <lemmata/verify/verdict_mark.hpp>
#include <lemmata/verify/versions.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>
#include <set>

namespace lemmata::verify {
namespace {

constexpr Verdict all_verdicts[] = {Verdict::proved, Verdict::supported, Verdict::refuted, Verdict::inconclusive,
                                    Verdict::vacuous};

std::string plural(std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string outcome_mark(const Entry& entry) {
    std::string text = verdict_mark(name(entry.printed));
    if (entry.corrected)
        text += fmt::format(" <span class=\"arrow\"><span aria-hidden=\"true\">→</span> corrected {}</span>",
                            verdict_mark(name(*entry.corrected)));
    return text;
}

std::string scrollable(const std::string& label, const std::string& table) {
    return fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n\n{}\n</div>\n\n",
                       label, table);
}

std::string value_cell(const Evidence::Value& value, double error) {
    return std::holds_alternative<double>(value) ? shown(value, error) : code(std::get<std::string>(value));
}

// "4e-10" as mathematics.
std::string error_text(double error) {
    const std::string text = fmt::format("{:.0e}", error);
    return fmt::format("${}\\cdot10^{{{}}}$", text.substr(0, text.find('e')),
                       std::stoi(text.substr(text.find('e') + 1)));
}

// "claimed 1/27, found 2/27": digits enough to see the difference, as far as the error allows.
std::string witness_text(const Evidence& e) {
    return fmt::format("{}: claimed {}, found {}{}", prose(e.quantity), value_cell(e.expected, e.error),
                       value_cell(e.measured, e.error), e.error > 0 ? " ±&nbsp;" + error_text(e.error) : "");
}

std::string first_screen(const Ledger& ledger) {
    std::size_t comparisons = 0;
    std::set<std::string> methods;
    std::map<Verdict, std::size_t> counts;
    for (const Entry& entry : ledger.entries) {
        ++counts[entry.printed];
        comparisons += entry.evidence.size();
        for (const Evidence& e : entry.evidence) methods.insert(e.method);
    }
    std::string text = fmt::format(
        "<header>\n\n<p class=\"eyebrow\">lemmata {} · tier {} · seed {}</p>\n\n"
        "# Specialization of softmax attention heads, claim by claim\n\n"
        "{} of the paper [arXiv:2603.03993v1](https://arxiv.org/abs/2603.03993v1), each derived, computed or "
        "attacked: {} by {}. The verdicts follow from that evidence by one rule, and every one of them can be run "
        "again.\n\n<ul class=\"tally\">\n",
        LEMMATA_VERSION, name(ledger.tier), ledger.seed, plural(ledger.entries.size(), "claim"),
        plural(comparisons, "comparison"), plural(methods.size(), "method"));
    for (const Verdict v : all_verdicts)
        text += fmt::format(
            "<li class=\"{0}\"><a href=\"#verdict={0}\"><span class=\"count\">{1}</span> <span "
            "class=\"word\"><span aria-hidden=\"true\">{2}</span> {0}</span></a></li>\n",
            name(v), counts[v], symbol(name(v)));
    return text +
           "</ul>\n\n<details class=\"legend\">\n<summary>What the verdicts mean</summary>\n\n"
           "- **proved**: a symbolic argument covers the whole range claimed, and nothing contradicts it\n"
           "- **supported**: every comparison agrees within its error, and the errors would show a mistake of 1%\n"
           "- **refuted**: a witness violates the printed statement by more than its error\n"
           "- **inconclusive**: the evidence does not decide\n"
           "- **vacuous**: nothing satisfies the hypotheses\n\n</details>\n\n</header>\n\n";
}

std::string errata_section(const Ledger& ledger) {
    const auto all = errata(ledger);
    std::size_t claims = 0, unjudged = 0;
    for (const Erratum& e : all) {
        claims += e.entries.size();
        unjudged += static_cast<std::size_t>(std::count_if(
            e.entries.begin(), e.entries.end(), [](const Entry* entry) { return entry->printed != Verdict::refuted; }));
    }
    std::string text = "<section id=\"errata\">\n\n## Errata\n\n";
    if (all.empty()) return text + "None found.\n\n</section>\n\n";
    text += fmt::format("{} in {}{}. Every refutation has a witness, which one command shows again.\n\n",
                        plural(all.size(), all.size() == 1 ? "slip" : "different slip"), plural(claims, "claim"),
                        unjudged > 0 ? fmt::format(", {} of them not to be judged as printed", unjudged) : "");
    for (const Erratum& erratum : all) {
        const Entry& entry = *erratum.entries.front();
        text += fmt::format("<article class=\"erratum\">\n\n### {}\n\n", prose(entry.claim.place));
        text += "<p class=\"tags\">" + verdict_mark(name(entry.printed));
        for (const auto& finding : entry.findings) text += fmt::format(" <span class=\"tag\">{}</span>", finding);
        for (const Entry* e : erratum.entries)
            text += fmt::format(" <a href=\"#{0}\"><code>{0}</code></a>", html_escaped(e->claim.id));
        text += "</p>\n\n";
        text += fmt::format("**Printed.** {}\n\n", prose(entry.claim.statement));
        if (const Evidence* w = witness(entry))
            text += fmt::format("**Witness.** {}.\n\n", witness_text(*w));
        else
            text += fmt::format("**Not to be judged.** {}.\n\n",
                                prose(entry.evidence.empty() ? entry.failure : entry.evidence.front().quantity));
        if (entry.corrected)
            text += fmt::format("**Instead.** {} {}\n\n", prose(entry.claim.corrected->statement),
                                verdict_mark(name(*entry.corrected)));
        text += fmt::format("**Again.** `lemmata verify {} --tier {} --seed {}`\n\n</article>\n\n", erratum.id,
                            name(ledger.tier), ledger.seed);
    }
    return text + "</section>\n\n";
}

std::string evidence_table(const Entry& entry, Form form) {
    const bool seeded = std::any_of(entry.evidence.begin(), entry.evidence.end(),
                                    [&](const Evidence& e) { return e.form == form && e.seed; });
    std::string rows;
    for (const Evidence& e : entry.evidence) {
        if (e.form != form) continue;
        rows += fmt::format("| {} | {} | {} | {} | {} | {} | {} |{}\n", verdict_mark(name(e.outcome)), prose(e.method),
                            prose(e.quantity), value_cell(e.expected, e.error), value_cell(e.measured, e.error),
                            e.error > 0 ? fmt::format("{:.1e}", e.error) : (e.proof ? "proof" : "exact"),
                            e.tolerance > 0 ? fmt::format("{:.1e}", e.tolerance) : "0",
                            seeded ? (e.seed ? fmt::format(" {} |", *e.seed) : " |") : "");
    }
    if (rows.empty()) return "";
    return scrollable(fmt::format("Evidence about the {} form of {}", form == Form::printed ? "printed" : "corrected",
                                  html_escaped(entry.claim.id)),
                      fmt::format("| outcome | method | quantity | claimed | found | error | tolerance |{}\n"
                                  "|:---|:---|:---|---:|---:|---:|---:|{}\n{}",
                                  seeded ? " seed |" : "", seeded ? "---:|" : "", rows));
}

std::string claim_row(const Entry& entry, const Ledger& ledger) {
    std::string text = fmt::format(
        "<details class=\"claim\" id=\"{0}\" data-verdict=\"{1}\" data-section=\"{2}\">\n"
        "<summary><span class=\"line\">{3} <code class=\"id\">{0}</code> <span class=\"place\">{4}</span>{5}</span> "
        "<span class=\"statement\">{6}</span></summary>\n\n",
        html_escaped(entry.claim.id), name(entry.printed), html_escaped(section_of(entry.claim.id)),
        outcome_mark(entry), prose(entry.claim.place),
        entry.claim.kind == Kind::definition ? " <span class=\"tag\">definition</span>" : "",
        prose(entry.claim.statement));
    if (!entry.claim.hypotheses.empty()) {
        text += "**Hypotheses**\n\n";
        for (const auto& h : entry.claim.hypotheses) text += fmt::format("- {}\n", prose(h));
        text += "\n";
    }
    if (!entry.findings.empty()) {
        text += "**Finding**";
        for (const auto& finding : entry.findings) text += fmt::format(" <span class=\"tag\">{}</span>", finding);
        text += "\n\n";
    }
    text += fmt::format("**Printed form** {}: {}.\n\n", verdict_mark(name(entry.printed)),
                        prose(summary(entry, Form::printed)));
    text += evidence_table(entry, Form::printed);
    if (entry.corrected)
        text += fmt::format("**Corrected form** {}: {}\n\n{}", verdict_mark(name(*entry.corrected)),
                            prose(entry.claim.corrected->statement), evidence_table(entry, Form::corrected));
    text += fmt::format("**Again**\n\n    lemmata verify {} --tier {} --seed {}\n\n</details>\n\n", entry.claim.id,
                        name(ledger.tier), ledger.seed);
    return text;
}

std::string claims_section(const Ledger& ledger) {
    std::map<std::pair<int, std::string>, std::vector<const Entry*>> sections;
    for (const Entry& entry : ledger.entries) sections[rank(section_of(entry.claim.id))].push_back(&entry);
    std::string text = "<section id=\"claims\">\n\n## Claims\n\n<div id=\"filter\"></div>\n\n";
    for (const auto& [key, entries] : sections) {
        text +=
            fmt::format("<section class=\"result\" data-section=\"{0}\">\n\n### {1} <span class=\"of\">{2}</span>\n\n",
                        html_escaped(key.second), prose(heading(key.second)), plural(entries.size(), "claim"));
        for (const Entry* entry : entries) text += claim_row(*entry, ledger);
        text += "</section>\n\n";
    }
    return text + "</section>\n\n";
}

std::string constants_section() {
    std::string text =
        "<section id=\"constants\">\n\n## Constants\n\n"
        "Coefficients of the loss at the unspecialized point, derived for symbolic $L$ (tokens) and $H$ (heads); "
        "$B=e^b$, $V$ the variance of a feature, $W$ that of the one learnt. Signs are proved.\n\n";
    for (const std::string activation : {"softmax", "softmax-1", "bayes-softmax"}) {
        symbolic::ScoreDerivatives derivatives(symbolic::builtin_activation(activation));
        const auto orders = activation == "softmax" ? std::vector<int>{1, 2, 4} : std::vector<int>{1, 2};
        const ConstantsTable table = constants_table(derivatives, orders, true);
        std::string rows = "| constant | closed form | sign |\n|:---|:---|:---|\n";
        for (const ConstantRow& row : table.rows)
            if (row.key.front() == 'c')
                rows += fmt::format("| ${}$ | ${}$ | {} |\n", row.latex_key, row.latex, prose(row.sign));
        text += fmt::format("### {}{}\n\n{}", activation, table.stage.empty() ? "" : ", " + prose(table.stage),
                            scrollable("Constants of " + activation, rows));
    }
    return text + "</section>\n\n";
}

std::string accuracy_section(const Ledger& ledger) {
    struct Row {
        std::map<Outcome, std::size_t> outcomes;
        std::vector<double> errors;
    };
    std::map<std::string, Row> methods;
    for (const Entry& entry : ledger.entries)
        for (const Evidence& e : entry.evidence) {
            Row& row = methods[e.method];
            ++row.outcomes[e.outcome];
            if (std::holds_alternative<double>(e.measured)) row.errors.push_back(e.error);
        }
    std::string rows =
        "| method | comparisons | hold | violated | open | median error | largest error |\n"
        "|:---|---:|---:|---:|---:|---:|---:|\n";
    for (auto& [method, row] : methods) {
        std::size_t total = 0;
        for (const auto& [outcome, count] : row.outcomes) total += count;
        std::sort(row.errors.begin(), row.errors.end());
        const auto error = [](double e) { return e > 0 ? fmt::format("{:.1e}", e) : std::string("exact"); };
        rows += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", prose(method), total,
                            row.outcomes[Outcome::holds], row.outcomes[Outcome::violated],
                            total - row.outcomes[Outcome::holds] - row.outcomes[Outcome::violated],
                            row.errors.empty() ? "exact" : error(row.errors[row.errors.size() / 2]),
                            row.errors.empty() ? "exact" : error(row.errors.back()));
    }
    return "<section id=\"accuracy\">\n\n## Accuracy\n\n"
           "Absolute errors of the measured values: bounds for quadratures, four standard errors for samples. A "
           "comparison that could not have noticed a mistake counts as open.\n\n" +
           scrollable("Accuracy by method", rows) + "</section>\n\n";
}

std::string versions_section() {
    std::string text = "<section id=\"versions\">\n\n## Versions\n\n| | |\n|:---|:---|\n";
    for (const auto& [what, version] : versions()) text += fmt::format("| {} | {} |\n", prose(what), prose(version));
    return text + "\n</section>\n\n";
}

std::string stamp() {
    const char* fixed = std::getenv("SOURCE_DATE_EPOCH");
    const std::time_t now = fixed != nullptr ? static_cast<std::time_t>(std::atoll(fixed)) : std::time(nullptr);
    return fmt::format("<p class=\"stamp\">Written {:%Y-%m-%d %H:%M} UTC.</p>\n", fmt::gmtime(now));
}

}  // namespace

std::string report_markdown(const Ledger& ledger, const std::vector<Picture>& pictures) {
    std::string text = first_screen(ledger) + errata_section(ledger) + claims_section(ledger) + constants_section() +
                       accuracy_section(ledger);
    if (!pictures.empty())
        text += "<section id=\"figures\">\n\n## Figures\n\n" + gallery_markdown(pictures) + "</section>\n\n";
    return text + versions_section() + stamp();
}

}  // namespace lemmata::verify
