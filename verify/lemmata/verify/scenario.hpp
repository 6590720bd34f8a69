// Scenario files: a problem, a state, and how to run it, in TOML.
//
// Everything is checked while it is read: unknown keys, wrong types, ragged or non-finite arrays,
// shapes that disagree, priors that are none. Complaints are InvalidInput with one line that names
// file, key, value and what was expected.
#pragma once

#include <lemmata/problem.hpp>

#include <toml++/toml.h>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lemmata::verify {

// A random start (lemmata/state.hpp, random_state) and where to stop.
struct FlowSettings {
    std::optional<int> heads;
    double eta = 1;
    double noise = 0.01;
    std::uint64_t seed = 1;
    std::optional<double> until;
};

struct SgdSettings {
    std::int64_t dimension = 1000;
    std::optional<std::int64_t> batch;  // default: the dimension
    double rate = 0.02;
};

struct Scenario {
    std::string source;  // file name, for messages
    std::string title;
    std::optional<Activation> activation;
    std::int64_t tokens;
    Prior prior;
    std::optional<State> state;
    std::optional<FlowSettings> flow;
    std::optional<SgdSettings> sgd;

    // With the activation; InvalidInput if the file names none.
    [[nodiscard]] Problem problem() const;
    // [state], or the random start of [flow]; InvalidInput if there is neither.
    [[nodiscard]] State start() const;
    // [state]; InvalidInput if there is none.
    [[nodiscard]] const State& given_state() const;
};

Scenario read_scenario(const std::filesystem::path& file);
Scenario parse_scenario(std::string_view text, const std::string& source);
Scenario scenario_from(const toml::table& document, const std::string& source);

}  // namespace lemmata::verify
