#include "commands/run.hpp"

#include <fmt/format.h>
#include <sstream>

namespace lemmata::verify {
namespace {

std::string time_text(const std::optional<double>& time) {
    return time ? fmt::format("{:.6g}", *time) : "not reached";
}

}  // namespace

void add_flow_options(CLI::App& command, FlowArguments& arguments) {
    command.add_option("--tolerance", arguments.tolerance, "Relative error allowed in a step of the flow")
        ->check(within(1e-12, 0.1))
        ->capture_default_str();
    command.add_option("--step", arguments.step, "Euler steps of this length instead of adaptive ones")
        ->check(positive());
    command
        .add_option("--root", arguments.root,
                    "factor: r free, as SGD moves it; symmetric: descent on symmetric roots, for comparison")
        ->check(CLI::IsMember({"factor", "symmetric"}))
        ->capture_default_str();
}

FlowOptions flow_options(const FlowArguments& arguments, const EngineArguments& engine, double until) {
    FlowOptions options;
    options.until = until;
    options.tolerance = arguments.tolerance;
    options.euler_step = engine.fresh && arguments.step == 0 ? 0.02 : arguments.step;  // the paper's step
    options.root = arguments.root == "symmetric" ? Root::symmetric : Root::factor;
    if (options.euler_step > 0) options.max_steps = 100'000'000;
    return options;
}

std::string identity(const Problem& problem, const Json& details) {
    Json json{{"activation", std::string(name(problem.activation))}, {"tokens", problem.tokens}};
    for (const Component& component : problem.prior.components())
        json["prior"].push_back({component.weight, to_json(component.mean), to_json(component.covariance)});
    json.update(details);
    return json.dump();
}

std::function<bool(const FlowProgress&)> flow_progress(ProgressLine& line, double until) {
    return [&line, until](const FlowProgress& at) {
        try {
            line.show(at.tau / until, fmt::format("tau {:.4g}, loss {:.6f}", at.tau, at.loss));
        } catch (const Interrupted&) {
            return false;
        }
        return true;
    };
}

std::string to_text(const Events& events) {
    std::string text =
        fmt::format("tau_u   {} (starts {})\ntau_s   {} (starts {})\n", time_text(events.tau_u),
                    time_text(events.tau_u_start), time_text(events.tau_s), time_text(events.tau_s_start));
    for (std::size_t f = 0; f < events.learning.size(); ++f)
        text += fmt::format("feature {} learnt at {}\n", f + 1, time_text(events.learning[f]));
    for (const Excursion& e : events.excursions)
        text += fmt::format("excursion: head {} crosses feature {} at {:.6g}\n", e.head + 1, e.feature + 1, e.tau);
    return text;
}

std::string to_text(const State& state, bool with_bias, bool with_scale) {
    std::ostringstream out;
    const Eigen::IOFormat format(6, 0, "  ", "\n", "  ", "");
    out << "m\n" << state.m.format(format) << "\nR\n" << (state.r * state.r.transpose()).format(format) << '\n';
    if (with_bias) out << "b\n" << state.b.transpose().format(format) << '\n';
    if (with_scale) out << "v  " << state.v << '\n';
    return out.str();
}

}  // namespace lemmata::verify
