// `--certified [--digits d]`, which `bayes` and `loss` share.
#pragma once

#include "commands/session.hpp"

#include <lemmata/enclosure.hpp>

#include <functional>
#include <string>

namespace lemmata::verify {

struct CertifiedArguments {
    bool certified = false;
    int digits = 12;
};

// `others`: options that ask for another way of computing, or for more than an interval.
void add_certified_options(CLI::App& command, CertifiedArguments& arguments, const std::vector<std::string>& others);

// Prints what `enclose` returns as `quantity`. Its complaints name the scenario's file.
int print_certified(const std::string& quantity, const std::string& file, const Session& session,
                    const std::function<Enclosure()>& enclose);

}  // namespace lemmata::verify
