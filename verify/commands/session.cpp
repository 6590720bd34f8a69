#include "commands/session.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>

namespace lemmata::verify {
namespace {

std::atomic<bool> interrupted = false;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

CLI::Validator number(const std::string& expected, const std::function<bool(double)>& good) {
    return {[=](const std::string& text) {
                double value = 0;
                if (CLI::detail::lexical_cast(text, value) && good(value)) return std::string();
                return fmt::format("{}; expected {}", text, expected);
            },
            expected};
}

}  // namespace

CLI::Validator within(double smallest, double largest) {
    return number(fmt::format("a number from {} to {}", smallest, largest),
                  [=](double value) { return value >= smallest && value <= largest; });
}

CLI::Validator positive() {
    return number("a number > 0", [](double value) { return value > 0 && std::isfinite(value); });
}

void Session::add_common(CLI::App& command, const std::string& examples) {
    command.add_flag("--json", json, "One JSON object on standard output, nothing else there");
    command.add_option("--jobs", jobs, "Number of threads (default: all); results do not depend on it")
        ->check(CLI::Range(1, 4096));
    command.add_option("--seed", seed, "Seed of all random numbers")
        ->check(CLI::Validator(
            [](const std::string& text) {
                return text.starts_with('-') ? text + "; expected an integer >= 0" : std::string();
            },
            ""))
        ->each([this](const std::string&) { seed_given = true; });
    command.add_flag("-q,--quiet", quiet, "No progress, no remarks");
    command.add_flag("-v,--verbose", verbose, "More detail");
    command.footer("Examples:\n" + examples);
}

void watch_interrupts() {
    std::signal(SIGINT, [](int) {
        if (interrupted.exchange(true)) std::_Exit(130);
    });
}

void poll() {
    if (interrupted) throw Interrupted();
}

ProgressLine::ProgressLine(const Session& session, std::string label)
    : visible_(!session.quiet && ::isatty(STDERR_FILENO) == 1), label_(std::move(label)), start_(now()) {}

ProgressLine::~ProgressLine() {
    if (visible_ && last_ >= 0) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::show(double fraction, const std::string& detail) {
    poll();
    const double elapsed = now() - start_;
    if (!visible_ || elapsed < 0.5 || elapsed - last_ < 0.1) return;
    last_ = elapsed;
    std::string remaining;
    if (fraction > 0.02) remaining = fmt::format(", {:.0f} s left", elapsed * (1 - fraction) / fraction);
    fmt::print(stderr, "\r\033[K{} {:3.0f}%{} {}", label_, 100 * fraction, remaining, detail);
    std::fflush(stderr);
}

std::string paint(Colour colour, const std::string& text) {
    static const bool coloured = ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
    if (!coloured || colour == Colour::none) return text;
    const char* code = "0";
    switch (colour) {
        case Colour::green:
            code = "32";
            break;
        case Colour::red:
            code = "31";
            break;
        case Colour::yellow:
            code = "33";
            break;
        case Colour::bold:
            code = "1";
            break;
        case Colour::dim:
            code = "2";
            break;
        case Colour::none:
            break;
    }
    return fmt::format("\033[{}m{}\033[0m", code, text);
}

}  // namespace lemmata::verify
