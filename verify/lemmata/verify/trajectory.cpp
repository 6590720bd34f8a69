#include <lemmata/verify/file.hpp>
#include <lemmata/verify/trajectory.hpp>

#include <fmt/format.h>
#include <array>
#include <cstdio>

namespace lemmata::verify {
namespace {

Json time_or_null(const std::optional<double>& time) {
    return time ? Json(*time) : Json(nullptr);
}

std::string rows(const std::vector<Moment>& moments) {
    std::string text;
    for (const Moment& moment : moments) {
        text += fmt::format("{} {}", moment.tau, moment.loss);
        for (const double m : moment.state.m.reshaped()) text += fmt::format(" {}", m);
        text += '\n';
    }
    return text;
}

struct Plot {
    std::string name;    // of the file, without .svg
    std::string script;  // without terminal and output
};

// Lines for the flow, dots for SGD; head h has colour h throughout.
std::string curves(int heads, const std::function<std::string(int)>& using_columns, bool with_sgd) {
    std::string text = "plot ";
    for (int h = 0; h < heads; ++h) {
        text += fmt::format("$flow using {} with lines lw 2 lc {} notitle, ", using_columns(h), h + 1);
        if (with_sgd)
            text += fmt::format("$sgd using {} with points pt 7 ps 0.35 lc {} notitle, ", using_columns(h), h + 1);
    }
    return text.substr(0, text.size() - 2) + "\n";
}

std::vector<Plot> plots(const std::string& title, const std::vector<Moment>& flow, const std::vector<Moment>& sgd) {
    const int heads = flow.front().state.heads(), features = flow.front().state.features();
    const auto column = [&](int h, int f) { return 3 + f * heads + h; };
    std::string data = "$flow << END\n" + rows(flow) + "END\n";
    if (!sgd.empty()) data += "$sgd << END\n" + rows(sgd) + "END\n";
    std::string escaped;
    for (const char c : title)
        if (c != '"' && c != '\\' && c != '\n') escaped += c;

    Plot times{"magnetizations", data};
    times.script += fmt::format("set multiplot layout 1,{} title \"{}\" noenhanced\nset logscale x\nset xlabel 'τ'\n",
                                features + 1, escaped);
    times.script += fmt::format("set xrange [0.01:{}]\n", std::max(flow.back().tau, 0.02));
    for (int f = 0; f < features; ++f) {
        times.script += fmt::format("set ylabel 'm_{{h{}}}'\n", f + 1);
        times.script += curves(
            heads, [&](int h) { return fmt::format("1:{}", column(h, f)); }, !sgd.empty());
    }
    times.script += "set ylabel 'loss'\n" +
                    curves(
                        1, [](int) { return "1:2"; }, !sgd.empty()) +
                    "unset multiplot\n";
    std::vector<Plot> all{times};
    if (features == 2) {
        Plot plane{"heads", data};
        plane.script +=
            fmt::format("set title \"{}\" noenhanced\nset xlabel 'm_{{h1}}'\nset ylabel 'm_{{h2}}'\n", escaped);
        plane.script += "set size ratio -1\nset zeroaxis\n";
        plane.script += curves(
            heads, [&](int h) { return fmt::format("{}:{}", column(h, 0), column(h, 1)); }, !sgd.empty());
        all.push_back(plane);
    }
    return all;
}

}  // namespace

std::vector<Moment> moments(const Path& path, const LossFunction& loss, int count) {
    std::vector<Moment> result;
    for (const double tau : logarithmic_grid(path, 0.01, count)) {
        const State state = interpolate(path, tau);
        result.push_back({tau, loss(state).loss.value, state});
    }
    return result;
}

std::vector<Moment> moments(const std::vector<SgdRecord>& records, double rate) {
    std::vector<Moment> result;
    for (const SgdRecord& record : records) {
        State state = order_parameters(record.overlaps, record.b, record.v);
        state.m = record.overlaps.m;
        result.push_back({rate * static_cast<double>(record.steps), record.loss.value, state});
    }
    return result;
}

std::string to_csv(const std::vector<Moment>& moments) {
    const int heads = moments.front().state.heads(), features = moments.front().state.features();
    std::string text = "tau,loss";
    for (int h = 1; h <= heads; ++h)
        for (int f = 1; f <= features; ++f) text += fmt::format(",m_{}_{}", h, f);
    for (int h = 1; h <= heads; ++h) text += fmt::format(",b_{}", h);
    text += ",v";
    for (int h = 1; h <= heads; ++h)
        for (int other = h; other <= heads; ++other) text += fmt::format(",R_{}_{}", h, other);
    text += '\n';
    for (const auto& [tau, loss, state] : moments) {
        text += fmt::format("{},{}", tau, loss);
        for (int h = 0; h < heads; ++h)
            for (int f = 0; f < features; ++f) text += fmt::format(",{}", state.m(h, f));
        for (const double b : state.b) text += fmt::format(",{}", b);
        text += fmt::format(",{}", state.v);
        const Eigen::MatrixXd R = state.r * state.r.transpose();
        for (int h = 0; h < heads; ++h)
            for (int other = h; other < heads; ++other) text += fmt::format(",{}", R(h, other));
        text += '\n';
    }
    return text;
}

Json to_json(const Events& events) {
    Json json{{"tau_u", time_or_null(events.tau_u)},
              {"tau_s", time_or_null(events.tau_s)},
              {"tau_u_start", time_or_null(events.tau_u_start)},
              {"tau_s_start", time_or_null(events.tau_s_start)}};
    json["learning"] = Json::array();
    for (const auto& time : events.learning) json["learning"].push_back(time_or_null(time));
    json["excursions"] = Json::array();
    for (const Excursion& e : events.excursions)
        json["excursions"].push_back({{"head", e.head + 1}, {"feature", e.feature + 1}, {"tau", e.tau}});
    return json;
}

Json to_json(const FlowResult& result, const Events& events, const std::string& method) {
    static constexpr std::array stops{"until", "converged", "interrupted"};
    return {{"tau", result.path.end()},
            {"loss", to_json(result.path.knots.back().loss)},
            {"state", to_json(last_state(result.path))},
            {"events", to_json(events)},
            {"steps", result.steps()},
            {"evaluations", result.evaluations},
            {"rejected", result.rejected},
            {"largest_gradient", result.largest_gradient},
            {"stopped", stops[static_cast<std::size_t>(result.stopped)]},
            {"method", method}};
}

Json to_json(const Polished& polished) {
    return {{"loss", to_json(polished.loss)},
            {"state", to_json(polished.state)},
            {"largest_gradient", polished.largest_gradient},
            {"minimum", polished.minimum},
            {"smallest_curvature", polished.curvatures[0]},
            {"iterations", polished.iterations}};
}

std::string draw(const std::filesystem::path& folder, const std::string& title, const std::vector<Moment>& flow,
                 const std::vector<Moment>& sgd) {
    std::error_code ignored;
    for (const auto& [name, script] : plots(title, flow, sgd)) {
        // gnuplot writes to standard output, we to the file: whole or not at all.
        const auto script_file = folder / (name + ".gp");
        const int width = name == "heads" ? 600 : 320 * (flow.front().state.features() + 1);
        write_file(script_file,
                   fmt::format("set terminal svg size {},420 font 'sans,11' background 'white'\n{}", width, script));
        std::string quoted;
        for (const char c : script_file.string()) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
        std::FILE* pipe = ::popen(fmt::format("gnuplot '{}' 2>/dev/null", quoted).c_str(), "r");
        if (pipe == nullptr) return "no pictures: gnuplot cannot be run";
        std::string svg;
        std::array<char, 65536> buffer;
        for (std::size_t size = 0; (size = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
            svg.append(buffer.data(), size);
        const bool fine = ::pclose(pipe) == 0 && !svg.empty();
        std::filesystem::remove(script_file, ignored);
        if (!fine) return "no pictures: gnuplot failed or is not installed";
        write_file(folder / (name + ".svg"), svg);
    }
    return {};
}

}  // namespace lemmata::verify
