// A sweep: one scenario asked the same questions at many points.
//
//     [model] …, [prior] …, [flow] …       a scenario (scenario.hpp), the base
//     [sweep]
//     compute = ["limit", "bayes"]         what to ask, see `Question`
//     [[sweep.axis]]                       every combination of all axes, the last one fastest
//     key    = "prior.strengths[0]"        any key of the scenario, entries of arrays too
//     values = [1, 2, 4]                   or: from = 1, to = 16, count = 5, spacing = "logarithmic"
//     [[sweep.point]]                      a list of settings, each combined with all axes
//     "flow.heads" = 2
//
// What a point gives depends on its scenario alone: not on threads, machines or the other points.
#pragma once

#include <lemmata/flow.hpp>
#include <lemmata/verify/json.hpp>
#include <lemmata/verify/scenario.hpp>

#include <toml++/toml.h>
#include <filesystem>
#include <string>
#include <vector>

namespace lemmata::verify {

enum class Question {
    loss,      // at [state]: loss, loss_error
    bayes,     // risk, risk_error
    limit,     // of the flow, polished: limit, limit_error, limit_minimum
    learning,  // events of the flow: tau_u, tau_s, learning_1, …
    pruning,   // heads taken greedily from the limit: pruned_0, pruned_1, … losses (pruning.hpp)
};

class Sweep {
public:
    // Throws InvalidInput, naming source and key; also if the scenario is bad at every point.
    static Sweep parse(std::string_view text, const std::string& source);
    static Sweep read(const std::filesystem::path& file);

    [[nodiscard]] std::size_t size() const { return size_; }

    // The scenario's keys at a point: {"prior.strengths[0]": 1, …}, in the order of the file.
    [[nodiscard]] Json settings(std::size_t point) const;

    // InvalidInput if the settings make no sense together.
    [[nodiscard]] Scenario scenario(std::size_t point) const;

    // Answers to all questions, or {"error": …}. `progress` as in FlowOptions; if it says false,
    // an empty object.
    [[nodiscard]] Json answer(std::size_t point, const std::function<bool(const FlowProgress&)>& progress = {}) const;

    // The base scenario and the questions, as one line: sweeps that share it may share answers.
    [[nodiscard]] std::string identity() const;

private:
    struct Axis {
        std::string key;
        toml::array values;
    };
    Sweep() = default;
    [[nodiscard]] std::vector<std::pair<std::string, const toml::node*>> chosen(std::size_t point) const;

    std::string source_;
    toml::table base_;
    std::vector<Question> questions_;
    std::vector<toml::table> list_;  // at least one, perhaps empty
    std::vector<Axis> axes_;
    std::size_t size_ = 0;
};

// All answers as a table: the settings' keys, then the answers' in order of appearance, then `error`.
std::string to_csv(const std::vector<Json>& settings, const std::vector<Json>& answers);

}  // namespace lemmata::verify
