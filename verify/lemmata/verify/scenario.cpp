#include <lemmata/error.hpp>
#include <lemmata/verify/scenario.hpp>
#include <lemmata/verify/toml_section.hpp>

#include <fmt/format.h>
#include <limits>

namespace lemmata::verify {
namespace {

constexpr std::int64_t most_heads = 1024;
constexpr std::int64_t most_features = 1024;
constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

std::optional<int> small(std::optional<std::int64_t> value) {
    return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

double positive(const TomlSection& section, const std::string& key, double value) {
    if (!(value > 0)) throw InvalidInput(section.full(key), fmt::format("{}", value), "a number > 0");
    return value;
}

double non_negative(const TomlSection& section, const std::string& key, double value) {
    if (!(value >= 0)) throw InvalidInput(section.full(key), fmt::format("{}", value), "a number >= 0");
    return value;
}

Prior read_gaussian(TomlSection& section) {
    const auto strengths = section.vector("strengths");
    const auto features = small(section.integer("features", 1, most_features));
    const auto from = section.real("from");
    const auto to = section.real("to");
    if (strengths && (from || to || features))
        throw InvalidInput(section.full("strengths"), "given together with features, from or to",
                           "one way or the other");
    if (strengths) {
        if (strengths->size() > most_features)
            throw InvalidInput(section.full("strengths"), fmt::format("{} entries", strengths->size()), "at most 1024");
        return Prior::gaussian(*strengths);
    }
    if (!features) throw InvalidInput(section.full("strengths"), "missing", "strengths, or features, from and to");
    if (!from) section.missing("from");
    if (!to && *features > 1) section.missing("to");
    non_negative(section, "from", *from);
    non_negative(section, "to", to.value_or(*from));
    return Prior::gaussian(linear_variances(*features, *from, to.value_or(*from)));
}

Prior read_flipping_spike(TomlSection& section) {
    const auto strengths = section.required("strengths", section.vector("strengths"));
    if (strengths.size() != 2)
        throw InvalidInput(section.full("strengths"), fmt::format("{} entries", strengths.size()), "[nu1, nu2]");
    return Prior::flipping_spike(strengths[0], strengths[1]);
}

Prior read_mixture(TomlSection& section) {
    std::vector<Component> components;
    for (auto& part : section.sections("component")) {
        Component component;
        component.weight = part.required("weight", part.real("weight"));
        component.mean = part.required("mean", part.vector("mean"));
        if (component.mean.size() > most_features)
            throw InvalidInput(part.full("mean"), fmt::format("{} entries", component.mean.size()), "at most 1024");
        const auto features = component.mean.size();
        component.covariance = part.matrix("covariance").value_or(Eigen::MatrixXd::Zero(features, features));
        part.finish();
        components.push_back(std::move(component));
    }
    return Prior::mixture(std::move(components));
}

Prior read_prior(TomlSection section) {
    const std::string kind = section.required("kind", section.text("kind"));
    const auto read = [&]() -> Prior {
        if (kind == "gaussian") return read_gaussian(section);
        if (kind == "flipping-spike") return read_flipping_spike(section);
        if (kind == "spikes") {
            const auto features = section.required("features", small(section.integer("features", 1, most_features)));
            return Prior::spikes(features, section.required("strength", section.real("strength")));
        }
        if (kind == "spike") return Prior::spike(section.required("strength", section.real("strength")));
        if (kind == "mixture") return read_mixture(section);
        throw InvalidInput(section.full("kind"), fmt::format("\"{}\"", kind),
                           "gaussian, flipping-spike, spikes, spike or mixture");
    };
    Prior prior = read();
    section.finish();
    return prior;
}

State read_state(TomlSection section) {
    const Eigen::MatrixXd m = section.required("m", section.matrix("m"));
    if (m.rows() > most_heads)
        throw InvalidInput(section.full("m"), fmt::format("{} rows", m.rows()), "at most 1024 heads");
    State state = state_at(m);
    state.r = section.matrix("r").value_or(state.r);
    state.b = section.vector("b").value_or(state.b);
    state.v = section.real("v").value_or(state.v);
    section.finish();
    return state;
}

FlowSettings read_flow(TomlSection section) {
    FlowSettings flow;
    flow.heads = small(section.integer("heads", 1, most_heads));
    flow.eta = non_negative(section, "eta", section.real("eta").value_or(flow.eta));
    flow.noise = non_negative(section, "noise", section.real("noise").value_or(flow.noise));
    flow.seed = static_cast<std::uint64_t>(section.integer("seed", 0, any).value_or(1));
    flow.until = section.real("until");
    if (flow.until) positive(section, "until", *flow.until);
    section.finish();
    return flow;
}

SgdSettings read_sgd(TomlSection section) {
    SgdSettings sgd;
    sgd.dimension = section.integer("dimension", 1, 100'000'000).value_or(sgd.dimension);
    sgd.batch = section.integer("batch", 1, any);
    sgd.rate = positive(section, "rate", section.real("rate").value_or(sgd.rate));
    section.finish();
    return sgd;
}

Scenario read_document(TomlSection document, const std::string& source) {
    const std::string title = document.text("title").value_or("");
    auto model = document.required("model", document.section("model"));
    const auto activation_name = model.text("activation");
    const std::int64_t tokens = model.required("tokens", model.integer("tokens", 2, 1'000'000'000'000));
    model.finish();
    Scenario scenario{
        source, title, std::nullopt, tokens, read_prior(document.required("prior", document.section("prior"))), {},
        {},     {}};
    if (activation_name) scenario.activation = activation_from_name(*activation_name);
    if (auto state = document.section("state")) scenario.state = read_state(*state);
    if (auto flow = document.section("flow")) scenario.flow = read_flow(*flow);
    if (auto sgd = document.section("sgd")) scenario.sgd = read_sgd(*sgd);
    document.finish();
    if (scenario.state) {
        // Any activation will do for checking shapes.
        validate({Activation::softmax, tokens, scenario.prior}, *scenario.state);
        if (scenario.flow && scenario.flow->heads && *scenario.flow->heads != scenario.state->heads())
            throw InvalidInput("flow.heads", fmt::format("{}", *scenario.flow->heads),
                               fmt::format("{}, as state.m has rows", scenario.state->heads()));
    }
    return scenario;
}

}  // namespace

Problem Scenario::problem() const {
    if (!activation)
        throw InvalidInput(source + ": model.activation", "missing", "softmax, softmax-1 or bayes-softmax");
    return {*activation, tokens, prior};
}

const State& Scenario::given_state() const {
    if (!state) throw InvalidInput(source + ": state", "missing", "a [state] table to evaluate at");
    return *state;
}

State Scenario::start() const {
    if (state) return *state;
    if (!flow || !flow->heads)
        throw InvalidInput(source + ": flow.heads", "missing", "[flow] with heads, or a [state]");
    return random_state(*flow->heads, prior.features(), flow->eta, flow->noise, flow->seed);
}

Scenario scenario_from(const toml::table& document, const std::string& source) {
    try {
        return read_document(TomlSection(document, ""), source);
    } catch (const InvalidInput& e) {
        throw e.within(source);
    }
}

Scenario parse_scenario(std::string_view text, const std::string& source) {
    return scenario_from(parse_toml(text, source), source);
}

Scenario read_scenario(const std::filesystem::path& file) {
    return parse_scenario(read_text(file.string()), file.string());
}

}  // namespace lemmata::verify
