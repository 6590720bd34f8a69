#include <lemmata/bayes_risk.hpp>
#include <lemmata/error.hpp>
#include <lemmata/events.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/polish.hpp>
#include <lemmata/pruning.hpp>
#include <lemmata/verify/code_version.hpp>
#include <lemmata/verify/sweep.hpp>
#include <lemmata/verify/toml_section.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

namespace lemmata::verify {
namespace {

constexpr std::size_t most_points = 100'000'000;
// A flow goes on until its gradient is so small that polishing takes over, or this long, if the scenario does
// not say. Heads approach their limits as slowly as 1/tau^2.
constexpr double handover = 1e-6, patience = 1e4;

constexpr std::array<std::pair<std::string_view, Question>, 5> question_names{{{"loss", Question::loss},
                                                                               {"bayes", Question::bayes},
                                                                               {"limit", Question::limit},
                                                                               {"learning", Question::learning},
                                                                               {"pruning", Question::pruning}}};

std::string_view name(Question question) {
    return std::find_if(question_names.begin(), question_names.end(),
                        [&](const auto& q) { return q.second == question; })
        ->first;
}

Question question_from_name(const std::string& given, const std::string& field) {
    for (const auto& [name, question] : question_names)
        if (name == given) return question;
    throw InvalidInput(field, fmt::format("\"{}\"", given), "loss, bayes, limit, learning or pruning");
}

Json to_json(const toml::node& node) {
    std::ostringstream out;
    node.visit([&](const auto& value) {
        if constexpr (toml::is_table<decltype(value)> || toml::is_array<decltype(value)>)
            out << toml::json_formatter{value};
        else
            out << toml::json_formatter{toml::array{value}};
    });
    Json json = Json::parse(out.str());
    return node.is_value() ? json[0] : json;
}

// "prior.component[1].mean" is the steps prior, component, 1, mean.
struct Step {
    std::string key;
    std::optional<std::size_t> index;
};

std::vector<Step> steps_of(const std::string& path, const std::string& field) {
    const auto complain = [&] {
        throw InvalidInput(field, fmt::format("\"{}\"", path), "a key such as prior.strengths[0]");
    };
    std::vector<Step> steps;
    std::istringstream parts(path);
    for (std::string part; std::getline(parts, part, '.');) {
        const std::size_t bracket = part.find('[');
        if (bracket == 0 || part.empty()) complain();
        steps.push_back({part.substr(0, bracket), std::nullopt});
        for (std::size_t at = bracket; at < part.size();) {
            std::size_t index = 0;
            const char *first = part.data() + at + 1, *last = part.data() + part.size();
            const auto [end, error] = std::from_chars(first, last, index);
            if (part[at] != '[' || error != std::errc() || end == last || *end != ']') complain();
            steps.push_back({"", index});
            at = static_cast<std::size_t>(end - part.data()) + 1;
        }
    }
    if (steps.size() < 2 || path.back() == '.') complain();
    return steps;
}

// Sets a key; tables on the way are made, entries of arrays must be there.
void set(toml::table& table, const std::string& path, const toml::node& value, const std::string& field) {
    const std::vector<Step> steps = steps_of(path, field);
    toml::node* node = &table;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const bool last = i + 1 == steps.size();
        const auto complain = [&](const char* expected) {
            throw InvalidInput(field, fmt::format("\"{}\"", path), expected);
        };
        if (steps[i].index) {
            toml::array* array = node->as_array();
            if (array == nullptr || *steps[i].index >= array->size()) complain("an entry that the base scenario has");
            if (last)
                value.visit([&](const auto& v) {
                    array->replace(array->begin() + static_cast<std::ptrdiff_t>(*steps[i].index), v);
                });
            else
                node = array->get(*steps[i].index);
        } else {
            toml::table* inner = node->as_table();
            if (inner == nullptr) complain("a table on the way");
            if (last)
                value.visit([&](const auto& v) { inner->insert_or_assign(steps[i].key, v); });
            else if ((node = inner->get(steps[i].key)) == nullptr)
                node = &inner->insert(steps[i].key, toml::table{}).first->second;
        }
    }
}

toml::array range(double from, double to, std::int64_t count, bool logarithmic) {
    toml::array values;
    for (std::int64_t i = 0; i < count; ++i) {
        const double t = count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1);
        // The ends are as given, to the bit.
        const double inside = logarithmic ? from * std::pow(to / from, t) : from + t * (to - from);
        values.push_back(i == 0 ? from : (i + 1 == count ? to : inside));
    }
    return values;
}

toml::array values_of(TomlSection& section) {
    const auto from = section.real("from"), to = section.real("to");
    const auto count = section.integer("count", 1, 1'000'000);
    const auto given_spacing = section.text("spacing");
    const toml::array* values = section.array("values");
    if ((values != nullptr) == (from || to || count || given_spacing))
        throw InvalidInput(section.full("values"), values ? "given with from, to, count or spacing" : "missing",
                           "values, or from, to and count");
    if (values != nullptr) {
        if (values->empty()) throw InvalidInput(section.full("values"), "[]", "at least one value");
        return *values;
    }
    const std::string spacing = given_spacing.value_or("linear");
    if (spacing != "linear" && spacing != "logarithmic")
        throw InvalidInput(section.full("spacing"), fmt::format("\"{}\"", spacing), "linear or logarithmic");
    const double first = section.required("from", from), last = section.required("to", to);
    if (spacing == "logarithmic" && !(first > 0 && last > 0))
        throw InvalidInput(section.full("from"), fmt::format("{}", first), "ends > 0 for logarithmic spacing");
    return range(first, last, section.required("count", count), spacing == "logarithmic");
}

Json answer_loss(const Scenario& scenario) {
    const LossEstimate loss = loss_exact(scenario.problem(), scenario.given_state());
    return {{"loss", loss.loss.value}, {"loss_error", loss.loss.error}};
}

Json answer_bayes(const Scenario& scenario) {
    const RiskEstimate risk = bayes_risk(scenario.prior, scenario.tokens);
    return {{"risk", risk.risk.value}, {"risk_error", risk.risk.error}};
}

Json or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json answer_learning(const Path& path, const Prior& prior) {
    const Events events = find_events(path, prior.mean());
    Json answer{{"tau_u", or_null(events.tau_u)}, {"tau_s", or_null(events.tau_s)}};
    for (std::size_t f = 0; f < events.learning.size(); ++f)
        answer[fmt::format("learning_{}", f + 1)] = or_null(events.learning[f]);
    return answer;
}

Json answer_limit(const Polished& end) {
    return {{"limit", end.loss.value}, {"limit_error", end.loss.error}, {"limit_minimum", end.minimum}};
}

Json answer_pruning(const Problem& problem, const Polished& end) {
    const Pruning pruning =
        prune_greedily([&](const State& state) { return loss_exact(problem, state).loss; }, end.state);
    Json answer;
    for (std::size_t taken = 0; taken < pruning.losses.size(); ++taken)
        answer[fmt::format("pruned_{}", taken)] = pruning.losses[taken].value;
    return answer;
}

std::string cell(const Json& value) {
    if (value.is_null()) return "";
    std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

}  // namespace

Sweep Sweep::parse(std::string_view text, const std::string& source) {
    Sweep sweep;
    sweep.source_ = source;
    sweep.base_ = parse_toml(text, source);
    try {
        TomlSection document(sweep.base_, "");
        auto section = document.required("sweep", document.section("sweep"));
        for (const auto& question : section.required("compute", section.texts("compute")))
            sweep.questions_.push_back(question_from_name(question, section.full("compute")));
        if (sweep.questions_.empty()) throw InvalidInput(section.full("compute"), "[]", "at least one of loss, …");
        for (auto& point : section.sections("point")) sweep.list_.push_back(point.table());
        if (sweep.list_.empty()) sweep.list_.emplace_back();
        for (auto& axis : section.sections("axis")) {
            sweep.axes_.push_back({axis.required("key", axis.text("key")), values_of(axis)});
            axis.finish();
        }
        section.finish();
        sweep.base_.erase("sweep");

        sweep.size_ = sweep.list_.size();
        for (const Axis& axis : sweep.axes_) {
            if (axis.values.size() > most_points / sweep.size_)
                throw InvalidInput("sweep.axis", "too many points", fmt::format("at most {} in all", most_points));
            sweep.size_ *= axis.values.size();
        }
        std::vector<std::string> keys;
        for (const auto& [key, value] : sweep.chosen(0)) keys.push_back(key);
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (std::find(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(i), keys[i]) !=
                keys.begin() + static_cast<std::ptrdiff_t>(i))
                throw InvalidInput("sweep", fmt::format("\"{}\" twice", keys[i]), "each key once");
        for (std::size_t i = 1; i < sweep.list_.size(); ++i) {
            const auto same =
                std::equal(sweep.list_[i].begin(), sweep.list_[i].end(), sweep.list_[0].begin(), sweep.list_[0].end(),
                           [](const auto& a, const auto& b) { return a.first.str() == b.first.str(); });
            if (!same)
                throw InvalidInput(fmt::format("sweep.point[{}]", i), "other keys", "the keys of the first point");
        }
    } catch (const InvalidInput& e) {
        throw e.within(source);
    }
    // A sweep that can say nothing anywhere is a mistake in the file; single bad points are answers.
    std::optional<InvalidInput> first;
    for (std::size_t point = 0; point < sweep.size_; ++point) {
        try {
            static_cast<void>(sweep.scenario(point));
            return sweep;
        } catch (const InvalidInput& e) {
            if (!first) first = e;
        }
    }
    throw *first;
}

Sweep Sweep::read(const std::filesystem::path& file) {
    return parse(read_text(file.string()), file.string());
}

std::vector<std::pair<std::string, const toml::node*>> Sweep::chosen(std::size_t point) const {
    std::vector<std::pair<std::string, const toml::node*>> values(axes_.size());
    for (std::size_t i = axes_.size(); i-- > 0;) {
        values[i] = {axes_[i].key, axes_[i].values.get(point % axes_[i].values.size())};
        point /= axes_[i].values.size();
    }
    std::vector<std::pair<std::string, const toml::node*>> listed;
    for (const auto& [key, value] : list_[point]) listed.emplace_back(std::string(key.str()), &value);
    values.insert(values.begin(), listed.begin(), listed.end());
    return values;
}

Json Sweep::settings(std::size_t point) const {
    Json json = Json::object();
    for (const auto& [key, value] : chosen(point)) json[key] = to_json(*value);
    return json;
}

Scenario Sweep::scenario(std::size_t point) const {
    toml::table table = base_;
    try {
        for (const auto& [key, value] : chosen(point)) set(table, key, *value, "sweep");
    } catch (const InvalidInput& e) {
        throw e.within(source_);
    }
    return scenario_from(table, source_);
}

Json Sweep::answer(std::size_t point, const std::function<bool(const FlowProgress&)>& progress) const {
    try {
        const Scenario scenario = this->scenario(point);
        std::optional<Path> path;
        std::optional<Polished> end;
        LossFunction loss;
        const auto follow_flow = [&]() -> bool {
            if (path) return true;
            const Problem problem = scenario.problem();
            loss = [problem](const State& state) { return loss_exact(problem, state, {1e-9, true}); };
            FlowOptions options;
            options.until = scenario.flow && scenario.flow->until ? *scenario.flow->until : patience;
            options.converged = handover;
            options.progress = progress;
            FlowResult result = flow(loss, scenario.start(), options);
            path = std::move(result.path);
            return result.stopped != Stop::interrupted;
        };
        const auto reach_limit = [&] {
            if (!follow_flow()) return false;
            if (!end) end = polish(loss, last_state(*path));
            return true;
        };
        Json answer = Json::object();
        for (const Question question : questions_) {
            switch (question) {
                case Question::loss:
                    answer.update(answer_loss(scenario));
                    break;
                case Question::bayes:
                    answer.update(answer_bayes(scenario));
                    break;
                case Question::limit:
                    if (!reach_limit()) return Json::object();
                    answer.update(answer_limit(*end));
                    break;
                case Question::pruning:
                    if (!reach_limit()) return Json::object();
                    answer.update(answer_pruning(scenario.problem(), *end));
                    break;
                case Question::learning:
                    if (!follow_flow()) return Json::object();
                    answer.update(answer_learning(*path, scenario.prior));
                    break;
            }
        }
        return answer;
    } catch (const InvalidInput& e) {
        return {{"error", e.what()}};
    } catch (const Unfinished& e) {
        return {{"error", e.what()}};
    }
}

std::string Sweep::identity() const {
    Json questions;
    for (const Question question : questions_) questions.push_back(std::string(name(question)));
    return Json{{"code", code_version()}, {"base", to_json(base_)}, {"compute", questions}}.dump();
}

std::string to_csv(const std::vector<Json>& settings, const std::vector<Json>& answers) {
    std::vector<std::string> columns;
    const auto add = [&](const Json& object) {
        for (const auto& item : object.items())
            if (item.key() != "error" && std::find(columns.begin(), columns.end(), item.key()) == columns.end())
                columns.push_back(item.key());
    };
    if (!settings.empty()) add(settings.front());
    const std::size_t keys = columns.size();
    for (const Json& answer : answers) add(answer);
    std::string text;
    for (const std::string& column : columns) text += cell(column) + ",";
    text += "error\n";
    for (std::size_t point = 0; point < answers.size(); ++point) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const Json& from = i < keys ? settings[point] : answers[point];
            text += (from.contains(columns[i]) ? cell(from[columns[i]]) : "") + ",";
        }
        text += (answers[point].contains("error") ? cell(answers[point]["error"]) : "") + "\n";
    }
    return text;
}

}  // namespace lemmata::verify
