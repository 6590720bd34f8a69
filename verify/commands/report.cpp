// lemmata report: the pages of a verification run again, from its ledger or from records.
#include "commands/commands.hpp"
#include "commands/ledger_text.hpp"

#include <lemmata/verify/record.hpp>
#include <lemmata/verify/report.hpp>

#include <fmt/format.h>
#include <iostream>
#include <memory>

namespace lemmata::verify {
namespace {

struct ReportArguments {
    std::string folder = "report";
    std::vector<std::string> ids;
    std::string records;
};

int run(const ReportArguments& arguments, const Session& session) {
    const std::filesystem::path folder = arguments.folder;
    // A record that is older than the program was written by another one.
    const Ledger ledger = arguments.records.empty() ? read_ledger(folder / "ledger.json")
                                                    : read_records(arguments.records, arguments.ids,
                                                                   std::filesystem::last_write_time("/proc/self/exe"));
    if (!arguments.records.empty()) write_ledger(folder, ledger);
    write_pages_or_stop(folder, ledger);
    if (session.json)
        std::cout << to_json(ledger).dump(2) << '\n';
    else if (!session.quiet)
        fmt::print("{} claims. Report: {}\n", ledger.entries.size(), (folder / "index.html").string());
    return 0;
}

}  // namespace

void add_report(CLI::App& app, Session& session) {
    auto arguments = std::make_shared<ReportArguments>();
    auto* command = app.add_subcommand("report", "Write the report again, with the figures that are there by now");
    command->add_option("folder", arguments->folder, "Folder with ledger.json, as `lemmata verify --report` left it")
        ->capture_default_str();
    command->add_option("--records", arguments->records,
                        "Make the ledger from the records of single claims in this folder (verify --record)");
    command->add_option("--claims", arguments->ids, "With --records: only these claims (default: all)");
    session.add_common(*command,
                       "  lemmata verify --report report && lemmata figure all && lemmata report report\n"
                       "  lemmata report report --records build/release/records");
    command->callback(
        [&session, arguments] { session.action = [&session, arguments] { return run(*arguments, session); }; });
}

}  // namespace lemmata::verify
