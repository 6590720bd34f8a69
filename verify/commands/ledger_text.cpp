#include "commands/ledger_text.hpp"

#include <lemmata/error.hpp>
#include <lemmata/verify/errata.hpp>
#include <lemmata/verify/paper_order.hpp>
#include <lemmata/verify/report.hpp>
#include <lemmata/verify/verdict_mark.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

namespace lemmata::verify {
namespace {

constexpr std::array verdicts{Verdict::proved, Verdict::supported, Verdict::refuted, Verdict::inconclusive,
                              Verdict::vacuous};

Colour colour(Verdict verdict) {
    switch (verdict) {
        case Verdict::proved:
        case Verdict::supported:
            return Colour::green;
        case Verdict::refuted:
            return Colour::red;
        default:
            return Colour::yellow;
    }
}

std::size_t line_width() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
    return 100;
}

std::string outcome_text(const Entry& entry, std::size_t width) {
    const std::string text = fmt::format("{} {}", symbol(name(entry.printed)), outcome(entry));
    return paint(colour(entry.printed), fmt::format("{:<{}}", text, width));
}

std::string comparison(const Evidence& e) {
    return fmt::format("{}: claimed {}, found {}{}", e.quantity, shown(e.expected, e.error), shown(e.measured, e.error),
                       e.error > 0 ? fmt::format(" +- {:.1g}", e.error) : "");
}

// Formulas that only a page can show give way to dots.
std::string without_long_formulas(const std::string& text) {
    std::istringstream parts(text);
    std::string out;
    bool inside = false;
    for (std::string part; std::getline(parts, part, '$'); inside = !inside)
        out += !inside ? part : part.size() < 60 ? "$" + part + "$" : "…";
    return out;
}

void print_evidence(const Entry& entry) {
    for (const Evidence& e : entry.evidence)
        fmt::print("{}", wrapped(fmt::format("{} {}, {} form, {}", symbol(name(e.outcome)), name(e.outcome),
                                             e.form == Form::printed ? "printed" : "corrected", e.method) +
                                     ": " + comparison(e),
                                 4));
}

void print_claims(const Ledger& ledger, bool verbose) {
    std::size_t width = 0, wide = 0;
    for (const Entry& entry : ledger.entries) {
        width = std::max(width, entry.claim.id.size());
        wide = std::max(wide, outcome(entry).size() + 2);
    }
    for (const Entry& entry : ledger.entries) {
        std::set<std::string> methods;
        for (const Evidence& e : entry.evidence) methods.insert(e.method);
        fmt::print(
            "{:<{}}  {}  {}\n", entry.claim.id, width, outcome_text(entry, wide),
            paint(Colour::dim, fmt::format("{} comparisons by {}", entry.evidence.size(), fmt::join(methods, ", "))));
        if (verbose) print_evidence(entry);
    }
}

void print_results(const Ledger& ledger) {
    std::map<std::pair<int, std::string>, std::map<Verdict, int>> results;
    for (const Entry& entry : ledger.entries) ++results[rank(section_of(entry.claim.id))][entry.printed];
    std::string head = fmt::format("{:<26}{:>8}", "", "claims");
    for (const Verdict v : verdicts) head += fmt::format("{:>15}", fmt::format("{} {}", symbol(name(v)), name(v)));
    fmt::print("{}\n", paint(Colour::bold, head));
    for (const auto& [section, counts] : results) {
        int total = 0;
        for (const auto& [verdict, count] : counts) total += count;
        fmt::print("{:<26}{:>8}", heading(section.second), total);
        for (const Verdict v : verdicts) {
            const auto found = counts.find(v);
            fmt::print("{}", found == counts.end() ? paint(Colour::dim, fmt::format("{:>15}", "."))
                                                   : paint(colour(v), fmt::format("{:>15}", found->second)));
        }
        fmt::print("\n");
    }
}

void print_open(const Ledger& ledger) {
    bool first = true;
    for (const Entry& entry : ledger.entries) {
        if (entry.printed != Verdict::inconclusive || is_erratum(entry)) continue;
        if (first) fmt::print("\n{}\n", paint(Colour::bold, "Open"));
        first = false;
        const auto undecided = std::find_if(entry.evidence.begin(), entry.evidence.end(),
                                            [](const Evidence& e) { return e.outcome != Outcome::holds; });
        fmt::print(
            "{}\n{}", paint(Colour::yellow, fmt::format("? {}", entry.claim.id)),
            wrapped(undecided == entry.evidence.end() ? summary(entry, Form::printed) : comparison(*undecided), 4));
    }
}

void print_errata(const Ledger& ledger, bool verbose) {
    const auto all = errata(ledger);
    if (all.empty()) return;
    fmt::print("\n{}\n", paint(Colour::bold, "Errata"));
    for (const Erratum& erratum : all) {
        const Entry& entry = *erratum.entries.front();
        std::string title = fmt::format("{} {}", symbol(name(entry.printed)), erratum.id);
        fmt::print("{}{} {}\n", paint(colour(entry.printed), title),
                   erratum.activations.empty() ? "" : fmt::format(" ({})", fmt::join(erratum.activations, ", ")),
                   paint(Colour::dim, entry.findings.empty() ? entry.claim.place
                                                             : fmt::format("{} [{}]", entry.claim.place,
                                                                           fmt::join(entry.findings, ", "))));
        if (const Evidence* w = witness(entry)) fmt::print("{}", wrapped(comparison(*w), 4));
        if (!entry.corrected) continue;
        const std::string& instead = entry.claim.corrected->statement;
        fmt::print("{}", wrapped(fmt::format("instead ({}): {}", name(*entry.corrected),
                                             verbose ? instead : without_long_formulas(instead)),
                                 4));
    }
}

}  // namespace

std::string wrapped(const std::string& text, int indent) {
    const std::size_t width = line_width();
    std::istringstream words(text);
    std::string out, line(static_cast<std::size_t>(indent), ' ');
    bool fresh = true;
    for (std::string word; words >> word;) {
        if (!fresh && line.size() + 1 + word.size() > width) {
            out += line + "\n";
            line.assign(static_cast<std::size_t>(indent), ' ');
            fresh = true;
        }
        line += (fresh ? "" : " ") + word;
        fresh = false;
    }
    return fresh ? out : out + line + "\n";
}

void print_ledger(const Ledger& ledger, bool verbose) {
    constexpr std::size_t few = 24;  // what fits a screen beside the rest
    if (verbose || ledger.entries.size() <= few)
        print_claims(ledger, verbose);
    else
        print_results(ledger);
    print_open(ledger);
    print_errata(ledger, verbose);
    std::map<Verdict, int> counts;
    for (const Entry& entry : ledger.entries) ++counts[entry.printed];
    std::string tally;
    for (const auto& [verdict, count] : counts) tally += fmt::format(", {} {}", count, name(verdict));
    fmt::print("\n{} claim{}{}.\n", ledger.entries.size(), ledger.entries.size() == 1 ? "" : "s", tally);
}

void print_mutants(const std::vector<MutationReport>& reports, bool verbose) {
    if (reports.empty()) {
        fmt::print("No mutants: none of these claims has a formula that its check proves.\n");
        return;
    }
    struct Row {
        std::size_t formulas = 0, mutants = 0, refuted = 0, equivalent = 0, survived = 0;
    };
    std::map<std::pair<int, std::string>, Row> results;
    Row all;
    for (const MutationReport& r : reports)
        for (Row* row : {&results[rank(section_of(r.id))], &all}) {
            ++row->formulas;
            row->mutants += static_cast<std::size_t>(r.total());
            row->refuted += static_cast<std::size_t>(r.refuted);
            row->equivalent += r.equivalent.size();
            row->survived += r.survived.size();
        }
    const auto print_row = [](const std::string& title, const Row& row) {
        const std::string survived = fmt::format("{:>10}", row.survived);
        fmt::print("{:<26}{:>10}{:>10}{:>10}{:>12}{}\n", title, row.formulas, row.mutants, row.refuted, row.equivalent,
                   row.survived > 0 ? paint(Colour::red, survived) : survived);
    };
    fmt::print("{}\n", paint(Colour::bold, fmt::format("{:<26}{:>10}{:>10}{:>10}{:>12}{:>10}", "", "formulas",
                                                       "mutants", "refuted", "equivalent", "survived")));
    for (const auto& [section, row] : results) print_row(heading(section.second), row);
    print_row("all", all);
    for (const MutationReport& r : reports) {
        for (const auto& m : r.survived) fmt::print("{} {}\n{}", paint(Colour::red, "survived"), r.id, wrapped(m, 4));
        if (verbose)
            for (const auto& m : r.equivalent) fmt::print("equivalent {}\n{}", r.id, wrapped(m, 4));
    }
    const std::size_t decided = all.refuted + all.survived;
    // Rounded down: 100% means that none survived.
    const std::size_t permille = decided == 0 ? 1000 : 1000 * all.refuted / decided;
    fmt::print(
        "\nKill rate {}.{}%{}.\n", permille / 10, permille % 10,
        verbose || all.equivalent == 0 ? "" : " (-v lists the equivalent mutants: other ways to write the same)");
}

void write_pages_or_stop(const std::filesystem::path& folder, const Ledger& ledger) {
    std::string remark;
    try {
        remark = write_pages(folder, ledger);
    } catch (const Unfinished&) {
        poll();
        throw;
    }
    if (!remark.empty()) fmt::print(stderr, "{}\n", remark);
}

}  // namespace lemmata::verify
