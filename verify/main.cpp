// lemmata: parses the command line, runs one command, turns failures into exit codes.
//   0 fine, 1 a check failed, 2 bad input, 3 could not finish, 130 interrupted
#include "commands/commands.hpp"
#include "commands/failure.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <iostream>
#include <thread>

namespace {

std::string command_names(const CLI::App& app) {
    std::string names;
    for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names += (names.empty() ? "" : ", ") + command->get_name();
    return names;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace lemmata;
    using verify::complain, verify::complain_of_current_exception;
    verify::Session session;
    CLI::App app("Machine-checks \"Specialization of softmax attention heads\" (arXiv:2603.03993v1)", "lemmata");
    app.set_version_flag("--version", std::string("lemmata ") + LEMMATA_VERSION);
    app.require_subcommand(1);
    app.footer("`lemmata COMMAND --help` has examples.");
    verify::add_bayes(app, session);
    verify::add_claims(app, session);
    verify::add_constants(app, session);
    verify::add_derivatives(app, session);
    verify::add_figure(app, session);
    verify::add_flow(app, session);
    verify::add_loss(app, session);
    verify::add_report(app, session);
    verify::add_sgd(app, session);
    verify::add_sweep(app, session);
    verify::add_verify(app, session);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
        if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-')
            return complain(2, fmt::format("{}: no such command; expected {}", argv[1], command_names(app)));
        return complain(2, std::string(e.what()) + " (see --help)");
    }
    const auto threads = session.jobs > 0 ? static_cast<unsigned>(session.jobs) : std::thread::hardware_concurrency();
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, std::max(1U, threads));
    verify::watch_interrupts();
    try {
        const int code = session.action();
        std::fflush(stdout);
        std::cout.flush();
        if (!std::cout || std::ferror(stdout) != 0) return complain(3, "standard output: cannot be written");
        return code;
    } catch (...) {
        return complain_of_current_exception();
    }
}
