// Figs. 1, 9 and 10: SGD in D dimensions (dots) and the flow from the same initial overlaps (lines).
#include "figures/coarse_runs.hpp"
#include "figures/figures.hpp"
#include "figures/runs.hpp"

#include <lemmata/events.hpp>
#include <lemmata/fit.hpp>

#include <fmt/format.h>
#include <limits>

namespace lemmata::verify::figures {
namespace {

struct Setting {
    std::vector<Activation> activations;
    std::int64_t tokens;
    int heads;
    Prior prior;
    double until;
};

// The law of docs/dynamics.md for the mean largest distance in m up to tau = 3.
double lawful_distance(double dimension) {
    return 0.55 * std::sqrt(sgd_rate / dimension) + 1.9 / dimension;
}
constexpr double law_until = 3;
constexpr int law_seeds = 8;

// Four panels: loss, the overlaps with either feature, and the heads' overlap outside.
void add_panels(Chart& chart, const std::string& title, const SgdWithFlow& run) {
    const auto& records = run.course.records;
    const int heads = run.beside.heads;
    const Eigen::MatrixXd p = records.front().overlaps.p;
    Panel loss{title + ": loss", "τ", "ℰ"}, first{title + ": f = 1", "τ", "m_{h1}"},
        second{title + ": f = 2", "τ", "m_{h2}"}, outside{title + ": outside", "τ", "R_{hh}"};
    std::vector<Curve> flow(static_cast<std::size_t>(3 * heads)), dots(static_cast<std::size_t>(3 * heads));
    Curve flow_loss{"flow"}, dots_loss{"SGD", {}, 1, Mark::dots};
    const auto add = [&](std::vector<Curve>& curves, const char* what, double tau, const Eigen::MatrixXd& m,
                         const Eigen::MatrixXd& R, Mark mark) {
        for (int h = 0; h < heads; ++h)
            for (int k = 0; k < 3; ++k) {
                Curve& curve = curves[static_cast<std::size_t>(3 * h + k)];
                curve.name = fmt::format("{}, head {}", what, h + 1);
                curve.colour = h;
                curve.mark = mark;
                curve.points.push_back({tau, k == 2 ? R(h, h) : m(h, k), 0});
            }
    };
    for (const double tau : logarithmic_grid(run.beside, 0.02, 120)) {
        if (tau == 0) continue;
        const State s = interpolate(run.beside, tau);
        add(flow, "flow", tau, overlap_with_spikes(s.m, p), s.r * s.r.transpose(), Mark::line);
    }
    for (const Knot& knot : run.beside.knots)
        if (knot.tau >= 0.02) flow_loss.points.push_back({knot.tau, knot.loss.value, 0});
    for (std::size_t i = 1; i < records.size(); i += 4) {  // not so many dots that they hide the lines
        const SgdRecord& record = records[i];
        const double tau = sgd_rate * static_cast<double>(record.steps);
        add(dots, "SGD", tau, record.overlaps.m, orthogonal_overlap(record.overlaps), Mark::dots);
        dots_loss.points.push_back({tau, record.loss.value, 0});
    }
    loss.curves = {flow_loss, dots_loss};
    for (int h = 0; h < heads; ++h)
        for (int k = 0; k < 3; ++k)
            for (const auto* curves : {&flow, &dots})
                (k == 0   ? first
                 : k == 1 ? second
                          : outside)
                    .curves.push_back((*curves)[static_cast<std::size_t>(3 * h + k)]);
    for (Panel* panel : {&loss, &first, &second, &outside}) {
        panel->log_x = true;
        chart.panels.push_back(*panel);
    }
}

Estimate mean_distance(const std::vector<SgdWithFlow>& runs, std::size_t first, std::size_t count) {
    Eigen::VectorXd values(static_cast<Eigen::Index>(count));
    for (std::size_t i = 0; i < count; ++i)
        values[static_cast<Eigen::Index>(i)] =
            distance(runs[first + i].course.records, sgd_rate, runs[first + i].beside).m;
    return mean_of(values);
}

Figure compare_all(const FigureContext& context, const Setting& setting) {
    const int D = context.pick(256, 1000, 10'000);
    Figure figure;
    figure.parameters = {{"L", setting.tokens}, {"H", setting.heads}, {"eta", 1}, {"rate", sgd_rate}, {"D", D}};
    figure.choices = {{"dimension", fmt::format("D = {} at this tier; the paper has 10000, as the full tier does", D)},
                      {"time", fmt::format("up to tau = {}", setting.until)}};
    std::vector<SgdSetting> runs;
    for (const Activation activation : setting.activations) {
        const Problem problem{activation, setting.tokens, setting.prior};
        runs.push_back({problem, setting.heads, D, first_seed(context), setting.until});
        // The law is measured in small dimensions, where several seeds are cheap.
        for (const int dimension : {std::min(D, 1000), std::min(D, 1000) / 4})
            for (int i = 0; i < law_seeds; ++i)
                runs.push_back({problem, setting.heads, dimension,
                                first_seed(context) + static_cast<std::uint64_t>(i) + 1, law_until});
    }
    const auto results = sgd_with_flow(context, runs);
    const std::size_t stride = 1 + 2 * law_seeds;
    for (std::size_t a = 0; a < setting.activations.size(); ++a) {
        const std::string which(name(setting.activations[a]));
        const SgdWithFlow& shown = results[a * stride];
        add_panels(figure.chart, which, shown);
        double largest = 0;
        for (const SgdRecord& record : shown.course.records)
            largest = std::max(largest, record.overlaps.m.cwiseAbs().maxCoeff());
        const auto& records = shown.course.records;
        const double apart = distance(records, sgd_rate, shown.beside).m,
                     error = std::abs(
                         apart -
                         distance(records, sgd_rate, coarse_beside(context, runs[a * stride], records.front())).m);
        figure.statements.push_back(
            {"The agreement between theory and simulation is very good.",
             our_reading(at_most(Form::printed, "SGD",
                                 fmt::format("largest distance in m up to tau = {} over the largest |m|, {}, D = {}",
                                             setting.until, which, D),
                                 0.05, {apart / largest, error / largest}, context.seed))});
        const int small = runs[a * stride + 1].dimension;
        const Estimate near = mean_distance(results, a * stride + 1, law_seeds),
                       far = mean_distance(results, a * stride + 1 + law_seeds, law_seeds);
        figure.statements.push_back(
            {"SGD's distance from the flow is that of the law for finite dimensions.",
             our_reading(at_most(
                 Form::printed, "SGD",
                 fmt::format("mean largest distance in m up to tau = 3 over the law's {:.3g}, {}, D = {}, {} seeds",
                             lawful_distance(small), which, small, law_seeds),
                 2, {near.value / lawful_distance(small), near.error / lawful_distance(small), near.kind},
                 context.seed))});
        const double ratio = far.value / near.value;
        figure.statements.push_back(
            {"The flow is the limit of SGD as D grows.",
             at_least(Form::printed, "SGD",
                      fmt::format("mean largest distance in m up to tau = 3 at D = {} over that at D = {}, {}",
                                  small / 4, small, which),
                      1,
                      {ratio, ratio * std::hypot(near.error / near.value, far.error / far.value), ErrorKind::standard},
                      context.seed)});
    }
    return figure;
}

Figure figure_1(const FigureContext& context) {
    const Setting setting{{Activation::softmax}, 10, 2, Prior::flipping_spike(2, 2), 30};
    Figure figure = compare_all(context, setting);
    figure.parameters["prior"] = "flipping spike, nu = (2, 2)";
    const Problem problem{Activation::softmax, 10, setting.prior};
    std::vector<FlowRun> runs;
    for (int i = 0; i < context.pick(12, 40, 100); ++i)
        runs.push_back({problem, 2, first_seed(context) + static_cast<std::uint64_t>(i), 120});
    std::vector<double> aligned, parted;
    for (const Path& path : flows(context, runs)) {
        const Events events = find_events(path, problem.prior.mean());
        const double never = std::numeric_limits<double>::infinity();
        aligned.push_back(events.tau_u_start.value_or(never));
        parted.push_back(events.tau_s_start.value_or(never));
    }
    figure.choices["starting"] =
        "a direction begins to be learnt when its overlap reaches 0.1; the heads part when "
        "their distance orthogonal to E theta does; starts as at D = 10000";
    figure.statements.push_back(
        {"A time of about 1 is enough to start learning the constant direction.",
         about("time at which the mean overlap with E theta reaches 0.1", 1, aligned, context.seed)});
    figure.statements.push_back({"A time of about 10 is needed before the heads part.",
                                 about("time at which the heads' distance reaches 0.1", 10, parted, context.seed)});
    return figure;
}

}  // namespace

std::vector<FigureMaker> sgd() {
    const std::vector<Activation> three(all_activations.begin(), all_activations.end());
    return {{1, "SGD and the flow, softmax, flipping spike, L = 10, H = 2", figure_1},
            {9, "SGD and the flow for the three activations, flipping spike, L = 5, H = 2",
             [three](const FigureContext& context) {
                 Figure figure = compare_all(context, {three, 5, 2, Prior::flipping_spike(2, 2), 30});
                 figure.parameters["prior"] = "flipping spike, nu = (2, 2)";
                 return figure;
             }},
            {10, "SGD and the flow for the three activations, Gaussian prior, L = 5, H = 4",
             [three](const FigureContext& context) {
                 Figure figure = compare_all(context, {three, 5, 4, Prior::gaussian(Eigen::Vector2d(8, 2)), 60});
                 figure.parameters["prior"] = "Gaussian, variances (8, 2)";
                 return figure;
             }}};
}

}  // namespace lemmata::verify::figures
