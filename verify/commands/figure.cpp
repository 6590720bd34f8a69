// lemmata figure: the paper's figures again, with what they decide.
#include "commands/commands.hpp"

#include <lemmata/error.hpp>
#include <lemmata/verify/figure.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <algorithm>
#include <iostream>
#include <memory>

namespace lemmata::verify {
namespace {

struct FigureArguments {
    std::vector<std::string> which;
    std::string tier = "standard";
    std::string out = "report/figures";
    bool keep = false;
};

std::vector<FigureMaker> chosen(const std::vector<std::string>& which) {
    const auto all = all_figures();
    if (which == std::vector<std::string>{"all"}) return all;
    std::vector<FigureMaker> makers;
    for (const std::string& number : which) {
        const auto maker = std::find_if(all.begin(), all.end(),
                                        [&](const FigureMaker& m) { return std::to_string(m.number) == number; });
        if (maker == all.end())
            throw InvalidInput("figure", number, fmt::format("a number from 1 to {}, or all", all.back().number));
        makers.push_back(*maker);
    }
    return makers;
}

// A folder that cannot be written is the user's mistake, and better known before hours of work.
void check_writable(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error || ::access(folder.c_str(), W_OK) != 0)
        throw InvalidInput("--out", folder.string(), "a folder that can be written");
}

std::string shown(const Json& value) {
    return value.is_number()   ? fmt::format("{:.4g}", value.get<double>())
           : value.is_string() ? value.get<std::string>()
                               : value.dump();
}

void print(const Json& record) {
    fmt::print("{}\n", paint(Colour::bold, fmt::format("Figure {}: {}", record["figure"].get<int>(),
                                                       record["title"].get<std::string>())));
    for (const Json& s : record["statements"]) {
        const std::string verdict = s["verdict"];
        const Colour colour = verdict == "supported" ? Colour::green
                              : verdict == "refuted" ? Colour::red
                                                     : Colour::yellow;
        fmt::print("  {} {}\n    {}: {} +- {}, expected {}\n", paint(colour, fmt::format("{:<12}", verdict)),
                   s["text"].get<std::string>(), s["quantity"].get<std::string>(), shown(s["measured"]),
                   shown(s["uncertainty"]), shown(s["expected"]));
    }
}

int run(const FigureArguments& arguments, const Session& session) {
    const auto makers = chosen(arguments.which);
    const Tier tier = tier_from_name(arguments.tier);
    const std::filesystem::path folder = arguments.out;
    check_writable(folder);
    Json records = Json::array();
    std::vector<std::string> failures;
    for (std::size_t i = 0; i < makers.size(); ++i) {
        ProgressLine line(session, fmt::format("figure {}", makers[i].number));
        FigureContext context{arguments.keep ? kept_tier(folder, makers[i].number, tier, session.seed) : tier,
                              session.seed, Store(folder / "runs")};
        context.progress = [&](double fraction) {
            line.show(fraction, makers.size() > 1 ? fmt::format("({} of {} figures)", i + 1, makers.size()) : "");
        };
        context.poll = [] { poll(); };
        try {
            records.push_back(write_figure(folder, makers[i], context));
        } catch (const Unfinished& e) {  // the others are still wanted
            failures.push_back(fmt::format("figure {}: {}", makers[i].number, e.what()));
            continue;
        }
        if (!session.json && !session.quiet) print(records.back());
    }
    if (session.json)
        std::cout << Json{{"schema", 1}, {"figures", records}}.dump(2) << '\n';
    else if (!session.quiet)
        fmt::print("Pictures, tables and records: {}\n", folder.string());
    if (!failures.empty()) throw Unfinished(fmt::format("{}", fmt::join(failures, "; ")));
    return 0;
}

}  // namespace

void add_figure(CLI::App& app, Session& session) {
    auto arguments = std::make_shared<FigureArguments>();
    auto* command = app.add_subcommand("figure", "A figure of the paper again: data, picture, and what it decides");
    command->add_option("figure", arguments->which, "Its number, several of them, or all")->required();
    command
        ->add_option("--tier", arguments->tier,
                     "quick (coarse), standard or full (the paper's sizes); see docs/figures.md")
        ->check(CLI::IsMember({"quick", "standard", "full"}))
        ->capture_default_str();
    command
        ->add_option("--out", arguments->out,
                     "Folder for figN/figN.csv, .svg and .json; finished runs are kept in its folder runs")
        ->capture_default_str();
    command->add_flag("--keep", arguments->keep, "A figure that is there in a higher tier stays in that tier");
    session.add_common(
        *command,
        "  lemmata figure 1 --tier quick --out figures\n"
        "  lemmata figure all && lemmata report report\n"
        "  lemmata figure 5 --json | jq '.figures[].statements[] | [.verdict, .text]'\n"
        "Interrupted work continues with the runs that were finished. A figure that cannot be made does not\n"
        "stop the others; the exit code is 3 then. It does not depend on verdicts.");
    command->callback(
        [&session, arguments] { session.action = [&session, arguments] { return run(*arguments, session); }; });
}

}  // namespace lemmata::verify
