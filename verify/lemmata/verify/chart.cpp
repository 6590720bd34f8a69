#include <lemmata/error.hpp>
#include <lemmata/verify/chart.hpp>
#include <lemmata/verify/file.hpp>
#include <lemmata/verify/program.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>

namespace lemmata::verify {
namespace {

constexpr int width = 640;
constexpr std::array colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F6A00"};

// In single quotes of gnuplot a quote is doubled.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? "''" : std::string(1, c == '\n' ? ' ' : c);
    return out + "'";
}

std::string field(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
}

std::string style(const Curve& curve) {
    const char* colour = colours[static_cast<std::size_t>(curve.colour) % colours.size()];
    switch (curve.mark) {
        case Mark::line:
            return fmt::format("using 1:2 with lines lw 2 lc rgb '{}'", colour);
        case Mark::dashed:
            return fmt::format("using 1:2 with lines lw 2 dt 2 lc rgb '{}'", colour);
        case Mark::dots:
            return fmt::format("using 1:2 with points pt 7 ps 0.4 lc rgb '{}'", colour);
        case Mark::points_and_line:
            return fmt::format("using 1:2:3 with yerrorlines lw 2 pt 7 ps 0.5 lc rgb '{}'", colour);
        case Mark::cells:
            return "using 1:2:3 with image pixels";
    }
    return {};
}

// A round distance between tics that leaves about so many of them: their labels must not touch. On a logarithmic axis
// a factor, a power of ten.
double tic_distance(const Panel& panel, std::size_t axis, bool logarithmic, int count) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Curve& curve : panel.curves)
        for (const auto& point : curve.points) {
            low = std::min(low, point[axis]);
            high = std::max(high, point[axis]);
        }
    if (logarithmic) return low > 0 ? std::pow(10.0, std::max(1.0, std::ceil(std::log10(high / low) / count))) : 10;
    if (!(high > low)) return 1;
    const double rough = (high - low) / count, power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (rough <= factor * power) return factor * power;
    return 10 * power;
}

// gnuplot reads a map row by row.
std::vector<std::array<double, 3>> in_drawing_order(const Curve& curve) {
    auto points = curve.points;
    if (curve.mark == Mark::cells)
        std::sort(points.begin(), points.end(),
                  [](const auto& a, const auto& b) { return std::pair(a[1], a[0]) < std::pair(b[1], b[0]); });
    return points;
}

std::string plot(const Panel& panel, std::size_t number, int columns) {
    std::string text = fmt::format("reset\nset title {}\nset xlabel {} offset 0,0.4\nset ylabel {} offset 1,0\n",
                                   quoted(panel.title), quoted(panel.x), quoted(panel.y));
    text += "set tics nomirror\nset border 3 lc rgb '#444444'\nset grid lc rgb '#dddddd'\n";
    const auto legend =
        std::count_if(panel.curves.begin(), panel.curves.end(), [](const Curve& c) { return c.in_legend; });
    text += legend > 0 ? "set key bmargin center horizontal maxcols 1 samplen 1.5\n" : "set key off\n";
    text +=
        fmt::format("set tmargin 2.2\nset bmargin {:g}\n", legend > 0 ? 2.8 + 1.25 * static_cast<double>(legend) : 3.2);
    if (panel.log_x) text += "set logscale x\nset format x '10^{%T}'\nunset mxtics\n";
    if (panel.log_y) text += "set logscale y\nset format y '10^{%T}'\nunset mytics\n";
    text += fmt::format("set xtics {:g}\nset ytics {:g}\n", tic_distance(panel, 0, panel.log_x, columns > 2 ? 2 : 4),
                        tic_distance(panel, 1, panel.log_y, 4));
    if (panel.curves.front().mark == Mark::cells)
        text += fmt::format("set cbtics {:g}\n", tic_distance(panel, 2, false, 4));
    if (panel.zero_axes) text += "set zeroaxis lc rgb '#888888'\n";
    for (const std::string& line : panel.extra) text += line + '\n';
    text += "plot ";
    for (std::size_t c = 0; c < panel.curves.size(); ++c)
        text += fmt::format("{}$d{}_{} {} {}", c == 0 ? "" : ", \\\n ", number, c, style(panel.curves[c]),
                            panel.curves[c].in_legend ? "title " + quoted(panel.curves[c].name) : "notitle");
    return text + "\n";
}

}  // namespace

std::string csv(const Chart& chart) {
    std::string text = "panel,curve,x,y,z\n";
    for (const Panel& panel : chart.panels)
        for (const Curve& curve : panel.curves)
            for (const auto& [x, y, z] : curve.points)
                text += fmt::format("{},{},{},{},{}\n", field(panel.title), field(curve.name), x, y, z);
    return text;
}

std::string svg(const Chart& chart) {
    const auto count = static_cast<int>(chart.panels.size());
    const int columns = std::min(chart.columns, count), rows = (count + columns - 1) / columns;
    std::string script = fmt::format(
        "set terminal svg size {},{} font 'sans-serif,15' background 'white' dashlength 0.6\nset encoding utf8\n",
        width, rows * chart.panel_height);
    for (std::size_t p = 0; p < chart.panels.size(); ++p)
        for (std::size_t c = 0; c < chart.panels[p].curves.size(); ++c) {
            script += fmt::format("$d{}_{} << END\n", p, c);
            for (const auto& [x, y, z] : in_drawing_order(chart.panels[p].curves[c]))
                script += fmt::format("{:.6g} {:.6g} {:.6g}\n", x, y, z);
            script += "END\n";
        }
    script += fmt::format("set multiplot layout {},{}\n", rows, columns);
    for (std::size_t p = 0; p < chart.panels.size(); ++p) script += plot(chart.panels[p], p, columns);
    return gnuplot(script + "unset multiplot\n");
}

std::string gnuplot(const std::string& script) {
    static std::atomic<int> scripts = 0;
    const auto file = std::filesystem::temp_directory_path() / fmt::format("lemmata-{}-{}.gp", ::getpid(), ++scripts);
    write_file(file, script);
    const auto picture = output_of({"gnuplot", file.string()});
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    if (!picture || picture->empty()) throw Unfinished("gnuplot failed or is not installed");
    return *picture;
}

}  // namespace lemmata::verify
