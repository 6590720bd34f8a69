// lemmata verify: checks claims, compares verdicts with the accepted ones, writes the ledger.
#include "commands/commands.hpp"
#include "commands/ledger_text.hpp"

#include <lemmata/error.hpp>
#include <lemmata/verify/file.hpp>
#include <lemmata/verify/ledger.hpp>
#include <lemmata/verify/mutation.hpp>
#include <lemmata/verify/record.hpp>
#include <lemmata/verify/report.hpp>
#include <lemmata/verify/toml_section.hpp>

#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <set>

namespace lemmata::verify {
namespace {

struct VerifyArguments {
    std::vector<std::string> ids;
    std::string tier = "standard";
    std::string report;
    std::string record;
    std::string baseline;
    bool accept = false;
    bool mutants = false;
};

int run_mutants(const VerifyArguments& arguments, const Session& session) {
    ProgressLine line(session, "mutating");
    const Context context{Tier::quick, session.seed, [] { poll(); }};
    const auto reports =
        mutate_claims(arguments.ids, context, [&](double fraction, const std::string& id) { line.show(fraction, id); });
    int refuted = 0, survived = 0;
    for (const auto& r : reports) {
        refuted += r.refuted;
        survived += static_cast<int>(r.survived.size());
    }
    if (session.json) {
        nlohmann::ordered_json json{
            {"schema", 1}, {"kill_rate", nullptr}, {"refuted", refuted}, {"survived", survived}};
        if (refuted + survived > 0) json["kill_rate"] = static_cast<double>(refuted) / (refuted + survived);
        for (const auto& r : reports)
            json["claims"].push_back(
                {{"id", r.id}, {"refuted", r.refuted}, {"equivalent", r.equivalent}, {"survived", r.survived}});
        std::cout << json.dump(2) << '\n';
        return survived == 0 ? 0 : 1;
    }
    print_mutants(reports, session.verbose);
    return survived == 0 ? 0 : 1;
}

int run(const VerifyArguments& arguments, const Session& session) {
    if (arguments.mutants) return run_mutants(arguments, session);
    Context context{tier_from_name(arguments.tier), session.seed, [] { poll(); }};
    const std::filesystem::path accepted =
        arguments.baseline.empty() ? std::filesystem::path(LEMMATA_BASELINE_DIR) / (arguments.tier + ".toml")
                                   : std::filesystem::path(arguments.baseline);
    const bool named = !arguments.baseline.empty() && !arguments.accept;  // then there must be one: no other will do
    Baseline baseline = named || std::filesystem::exists(accepted)
                            ? parse_baseline(read_text(accepted.string()), accepted.string())
                            : read_baseline(context.tier);
    ProgressLine line(session, "checking");
    const Ledger ledger =
        run_checks(arguments.ids, context, [&](std::size_t done, std::size_t total, const std::string& id) {
            line.show(static_cast<double>(done) / static_cast<double>(total), id);
        });

    if (!arguments.record.empty()) write_records(arguments.record, ledger);
    if (!arguments.report.empty()) {
        write_ledger(arguments.report, ledger);
        write_pages_or_stop(arguments.report, ledger);
    }
    int exit_code = 0;
    std::vector<std::string> changes;
    if (arguments.accept) {
        std::set<std::string> ids;
        for (const auto& claim : all_claims()) ids.insert(claim.id);
        std::erase_if(baseline, [&](const auto& old) { return !ids.contains(old.first); });  // claims that are gone
        write_file(accepted, baseline_text(baseline, ledger));
    } else {
        for (const auto& entry : ledger.entries) {
            const auto expected = baseline.find(entry.claim.id);
            const std::string before = expected == baseline.end() ? "nothing" : expected->second;
            if (!entry.failure.empty())
                changes.push_back(fmt::format("{}: the check could not finish: {}", entry.claim.id, entry.failure));
            else if (before != outcome(entry))
                changes.push_back(fmt::format("{}: {}; accepted was {}", entry.claim.id, outcome(entry), before));
        }
        exit_code = changes.empty() ? 0 : 1;
    }

    if (session.json) {
        std::cout << to_json(ledger).dump(2) << '\n';
    } else if (!session.quiet) {
        print_ledger(ledger, session.verbose);
        if (!arguments.record.empty())
            for (const auto& entry : ledger.entries) fmt::print("{}", measurements(entry));
        if (!arguments.report.empty())
            fmt::print("Report: {}\n", (std::filesystem::path(arguments.report) / "index.html").string());
    }
    for (const auto& change : changes) fmt::print(stderr, "changed: {}\n", change);
    return exit_code;
}

}  // namespace

void add_verify(CLI::App& app, Session& session) {
    auto arguments = std::make_shared<VerifyArguments>();
    auto* command = app.add_subcommand("verify", "Check claims: a verdict for each, from evidence");
    command->add_option("id", arguments->ids,
                        "Claims to check, or beginnings of their ids up to a slash (default: all)");
    command->add_option("--tier", arguments->tier, "How thoroughly: quick (a minute), standard or full")
        ->check(CLI::IsMember({"quick", "standard", "full"}))
        ->capture_default_str();
    command->add_option("--report", arguments->report,
                        "Folder for ledger.json, timings.json, report.md and index.html");
    command->add_option("--record", arguments->record,
                        "Folder for a record per claim (see `lemmata report`); numbers are printed for CTest as well");
    command->add_option("--baseline", arguments->baseline,
                        "File of accepted verdicts (default: this tree's, for the tier)");
    command->add_flag("--accept", arguments->accept,
                      "Write the verdicts as the accepted ones instead of comparing with them");
    command->add_flag("--mutants", arguments->mutants,
                      "Break each formula in one place after another; the checks must refute every version");
    session.add_common(*command,
                       "  lemmata verify --report report\n"
                       "  lemmata verify lemma-A.4 --tier quick\n"
                       "  lemmata verify lemma-A.6 --mutants\n"
                       "  lemmata verify lemma-A.4/eq-33 --json | jq .claims[0].printed\n"
                       "Exit code 0 if every check ran and every verdict is the accepted one, 1 otherwise.");
    command->callback(
        [&session, arguments] { session.action = [&session, arguments] { return run(*arguments, session); }; });
}

}  // namespace lemmata::verify
