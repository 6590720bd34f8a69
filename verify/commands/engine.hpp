// Which loss engine a run uses: options shared by `flow` and `sgd`.
#pragma once

#include <lemmata/sgd_run.hpp>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace lemmata::verify {

struct EngineArguments {
    std::string method = "auto";
    std::int64_t samples = 100'000;
    bool fresh = false;
    int nodes = 32;
};

void add_engine_options(CLI::App& command, EngineArguments& arguments);

// "monte-carlo (100000 fixed samples, seed 1)": for reports, and part of a run's identity.
std::string describe(const EngineArguments& arguments, std::uint64_t seed);

Engine make_engine(const EngineArguments& arguments, std::uint64_t seed);

}  // namespace lemmata::verify
