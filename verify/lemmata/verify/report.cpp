#include <lemmata/error.hpp>
#include <lemmata/verify/file.hpp>
#include <lemmata/verify/report.hpp>

#include <fmt/format.h>
#include <cstdlib>
#include <map>

namespace lemmata::verify {
namespace {

constexpr std::string_view style = R"(<style>
:root { color-scheme: light dark; }
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.55 system-ui, sans-serif; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: 0.85rem; }
th, td { padding: 0.25rem 0.6rem; text-align: left; border-bottom: 1px solid #8884; }
code { font-size: 0.9em; }
h3 { margin-top: 2.2rem; }
</style>
)";

std::string shown(const Evidence::Value& value) {
    return std::holds_alternative<double>(value) ? fmt::format("{:.12g}", std::get<double>(value))
                                                 : std::get<std::string>(value);
}

std::string evidence_table(const Entry& entry) {
    std::string text = "| form | method | quantity | claimed | found | tolerance | |\n|---|---|---|---|---|---|---|\n";
    for (const auto& e : entry.evidence)
        text += fmt::format(
            "| {} | {} | {} | {} | {} | {:.1e} | {} |\n", e.form == Form::printed ? "printed" : "corrected", e.method,
            e.quantity, shown(e.expected), shown(e.measured), e.tolerance,
            e.outcome == Outcome::holds ? "holds" : (e.outcome == Outcome::violated ? "**violated**" : "open"));
    return text;
}

}  // namespace

std::string report_markdown(const Ledger& ledger) {
    std::map<Verdict, int> counts;
    for (const auto& entry : ledger.entries) ++counts[entry.printed];
    std::string text =
        fmt::format("# lemmata {}: arXiv:2603.03993v1, claim by claim\n\nTier {}, seed {}. {} claims:", LEMMATA_VERSION,
                    name(ledger.tier), ledger.seed, ledger.entries.size());
    for (const auto& [verdict, count] : counts) text += fmt::format(" {} {}.", count, name(verdict));
    text += "\n\n## Errata\n\n";
    bool any = false;
    for (const auto& entry : ledger.entries) {
        if (entry.printed != Verdict::refuted) continue;
        any = true;
        text += fmt::format("- **{}** ({}). {}.\n", entry.claim.id, entry.claim.place, summary(entry, Form::printed));
        if (entry.corrected)
            text += fmt::format("  Corrected form, {}: {}\n", name(*entry.corrected), entry.claim.corrected->statement);
    }
    if (!any) text += "None found.\n";
    text += "\n## Claims\n";
    for (const auto& entry : ledger.entries) {
        text += fmt::format("\n### {}: {}\n\n*{}* {}\n\n", entry.claim.id, outcome(entry), entry.claim.place,
                            entry.claim.statement);
        for (const auto& h : entry.claim.hypotheses) text += fmt::format("- {}\n", h);
        text += fmt::format("\n{}\n\nAgain: `lemmata verify {} --tier {} --seed {}`\n", evidence_table(entry),
                            entry.claim.id, name(ledger.tier), ledger.seed);
    }
    return text;
}

void write_ledger(const std::filesystem::path& folder, const Ledger& ledger) {
    write_file(folder / "ledger.json", to_json(ledger).dump(2) + "\n");
    write_file(folder / "timings.json", timings(ledger).dump(2) + "\n");
}

std::string write_pages(const std::filesystem::path& folder, const Ledger& ledger) {
    write_file(folder / "report.md", report_markdown(ledger));
    write_file(folder / "style.html", style);
    const std::string command = fmt::format(
        "cd '{}' && command -v pandoc >/dev/null && pandoc report.md --to html5 --standalone --mathml --metadata "
        "title='lemmata: "
        "arXiv:2603.03993v1' --include-in-header=style.html -o index.html.tmp && mv index.html.tmp index.html",
        folder.string());
    if (std::system(command.c_str()) != 0)
        throw Unfinished("index.html: pandoc is missing or failed (report.md is there)");
    std::filesystem::remove(folder / "style.html");
    return {};
}

}  // namespace lemmata::verify
