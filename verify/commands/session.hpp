// What all commands share: options accepted everywhere, progress, colours, interruption.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace lemmata::verify {

// Thrown by poll() after Ctrl-C.
struct Interrupted : std::runtime_error {
    Interrupted() : std::runtime_error("interrupted") {}
};

struct Session {
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    int jobs = 0;  // 0: all
    std::uint64_t seed = 1;
    bool seed_given = false;
    std::function<int()> action;  // what the chosen command does; returns the exit code

    // Adds --json, --jobs, --seed, -q, -v, and examples below the help.
    void add_common(CLI::App& command, const std::string& examples);
};

// Checks of numbers on the command line: neither takes nan, and both say what they expected.
CLI::Validator within(double smallest, double largest);
CLI::Validator positive();

// Notes Ctrl-C; a second one ends the process at once.
void watch_interrupts();
// Throws Interrupted if Ctrl-C was pressed.
void poll();

// A line on standard error that is rewritten in place; silent unless that is a terminal. Estimates
// the remaining time from the fraction done.
class ProgressLine {
public:
    ProgressLine(const Session& session, std::string label);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    void show(double fraction, const std::string& detail = "");  // polls as well

private:
    bool visible_;
    std::string label_;
    double start_;
    double last_ = -1;
};

enum class Colour { none, green, red, yellow, bold, dim };
// The text in that colour if standard output is a terminal and NO_COLOR is unset.
std::string paint(Colour colour, const std::string& text);

}  // namespace lemmata::verify
