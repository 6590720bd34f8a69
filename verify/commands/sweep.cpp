// lemmata sweep: a scenario at many points, on this machine's cores or under MPI.
#include "commands/commands.hpp"
#include "commands/failure.hpp"
#include "commands/ranks.hpp"

#include <lemmata/error.hpp>
#include <lemmata/verify/file.hpp>
#include <lemmata/verify/independent_runs.hpp>
#include <lemmata/verify/sweep.hpp>
#include <lemmata/verify/sweep_journal.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <iostream>
#include <memory>

namespace lemmata::verify {
namespace {

struct Arguments {
    std::string file;
    std::string out;
};

using Deliver = std::function<void(std::size_t, const Json&)>;

bool go_on(const FlowProgress&) {
    try {
        poll();
    } catch (const Interrupted&) {
        return false;
    }
    return true;
}

void compute_here(const Sweep& sweep, const std::vector<std::size_t>& points, const Deliver& deliver) {
    std::vector<Json> answers(points.size());
    run_independently(
        points.size(), [&](std::size_t i) { answers[i] = sweep.answer(points[i], go_on); },
        [&](std::size_t i) {
            poll();  // an interrupted answer is none
            deliver(points[i], answers[i]);
            answers[i] = nullptr;
        });
}

void compute_under_mpi(Ranks& ranks, const std::vector<std::size_t>& points, const Deliver& deliver) {
    ranks.lead(points, [&](std::size_t point, const std::string& answer) { deliver(point, Json::parse(answer)); });
}

Json to_json(const std::vector<Json>& settings, const std::vector<Json>& answers) {
    Json points = Json::array();
    for (std::size_t i = 0; i < answers.size(); ++i) points.push_back({{"at", settings[i]}, {"answer", answers[i]}});
    return {{"schema", 1}, {"points", points}};
}

// Answers what the journal does not know, here or on the ranks, and writes the tables.
int conduct(const Sweep& sweep, Ranks* ranks, const Arguments& arguments, const Session& session) {
    std::optional<SweepJournal> journal;
    if (!arguments.out.empty()) journal.emplace(arguments.out, sweep.identity());
    std::vector<Json> settings(sweep.size()), answers(sweep.size());
    std::vector<std::size_t> missing;
    for (std::size_t point = 0; point < sweep.size(); ++point) {
        settings[point] = sweep.settings(point);
        const Json* known = journal ? journal->find(settings[point]) : nullptr;
        if (known != nullptr)
            answers[point] = *known;
        else
            missing.push_back(point);
    }
    const std::size_t found = sweep.size() - missing.size();
    if (found > 0 && !session.quiet)
        fmt::print(stderr, "lemmata: {} of {} points are in {} already\n", found, sweep.size(), arguments.out);

    {
        ProgressLine line(session, "sweep");
        std::size_t done = 0;
        const Deliver deliver = [&](std::size_t point, const Json& answer) {
            if (journal) journal->add(settings[point], answer);
            answers[point] = answer;
            ++done;
            line.show(static_cast<double>(done) / static_cast<double>(missing.size()),
                      fmt::format("{} of {} points", found + done, sweep.size()));
        };
        if (ranks)
            compute_under_mpi(*ranks, missing, deliver);
        else
            compute_here(sweep, missing, deliver);
    }

    const std::string table = to_csv(settings, answers);
    const std::string json = to_json(settings, answers).dump(1) + "\n";
    const auto failed =
        std::count_if(answers.begin(), answers.end(), [](const Json& answer) { return answer.contains("error"); });
    if (journal) {
        write_file(std::filesystem::path(arguments.out) / "sweep.csv", table);
        write_file(std::filesystem::path(arguments.out) / "sweep.json", json);
    }
    if (session.json)
        std::cout << json;
    else if (!journal)
        std::cout << table;
    else
        fmt::print("{} points, {} failed: {}\n", sweep.size(), failed,
                   (std::filesystem::path(arguments.out) / "sweep.csv").string());
    if (failed > 0 && !session.quiet)
        fmt::print(stderr, "lemmata: {} of {} points failed; the column `error` says why\n", failed, sweep.size());
    return 0;
}

int run(const Arguments& arguments, const Session& session) {
    const Sweep sweep = Sweep::read(arguments.file);
    const std::unique_ptr<Ranks> ranks = Ranks::join();
    if (!ranks) return conduct(sweep, nullptr, arguments, session);
    try {
        if (ranks->leads()) return conduct(sweep, ranks.get(), arguments, session);
        // As many processes as cores is the rule under MPI.
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                        static_cast<std::size_t>(std::max(1, session.jobs)));
        ranks->follow([&](std::size_t point) { return sweep.answer(point, go_on).dump(); });
        return 0;
    } catch (...) {
        // The other ranks wait for this one, which must say why before it ends them.
        const int code = complain_of_current_exception();
        ranks->abort(code);
        return code;
    }
}

}  // namespace

void add_sweep(CLI::App& app, Session& session) {
    auto arguments = std::make_shared<Arguments>();
    auto* command = app.add_subcommand("sweep", "A scenario at many points: one row each; resumes; runs under MPI");
    command->add_option("sweep", arguments->file, "Scenario file with a [sweep] table (TOML)")->required();
    command->add_option("--out", arguments->out,
                        "Folder for sweep.csv, sweep.json and the journal of finished points; resumes");
    session.add_common(*command,
                       "  lemmata sweep strengths.toml > table.csv\n"
                       "  lemmata sweep strengths.toml --out runs/strengths     # again, after a crash: goes on\n"
                       "  mpirun -n 16 lemmata sweep strengths.toml --out runs/strengths\n"
                       "strengths.toml is a scenario with\n"
                       "  [sweep]\n"
                       "  compute = [\"limit\", \"bayes\"]          # loss, bayes, limit, learning, pruning\n"
                       "  [[sweep.axis]]\n"
                       "  key = \"prior.strengths[0]\"\n"
                       "  values = [1, 2, 4]                    # or from, to, count, spacing");
    command->callback(
        [&session, arguments] { session.action = [&session, arguments] { return run(*arguments, session); }; });
}

}  // namespace lemmata::verify
