// What `flow` and `sgd` share beyond the engine: identity of a run, progress, and printing.
#pragma once

#include "commands/engine.hpp"
#include "commands/session.hpp"

#include <lemmata/verify/scenario.hpp>
#include <lemmata/verify/trajectory.hpp>

#include <filesystem>

namespace lemmata::verify {

struct FlowArguments {
    double tolerance = 1e-6;
    double step = 0;  // > 0: Euler
    std::string root = "factor";
};

void add_flow_options(CLI::App& command, FlowArguments& arguments);
FlowOptions flow_options(const FlowArguments& arguments, const EngineArguments& engine, double until);

// The problem, the start and all that the result depends on, as one line.
std::string identity(const Problem& problem, const Json& details);

// Called with a fraction and a remark; throws Interrupted on Ctrl-C.
std::function<bool(const FlowProgress&)> flow_progress(ProgressLine& line, double until);

std::string to_text(const Events& events);
std::string to_text(const State& state, bool with_bias, bool with_scale);

}  // namespace lemmata::verify
