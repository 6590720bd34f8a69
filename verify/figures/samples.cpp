// Fig. 8: training on Monte Carlo samples that are kept against samples drawn anew at every step, and both
// against the exact flow.
#include "figures/figures.hpp"
#include "figures/runs.hpp"

#include <lemmata/fit.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>

namespace lemmata::verify::figures {
namespace {

constexpr double until = 30;

Figure figure_8(const FigureContext& context) {
    const int seeds = context.pick(4, 8, 8);
    const std::int64_t samples = context.pick(1000, 10'000, 100'000);
    const Problem problem{Activation::softmax, 8, Prior::flipping_spike(2, 2)};
    std::vector<EulerRun> runs;
    for (int i = 0; i < seeds; ++i)
        for (const Draw draw : {Draw::none, Draw::fixed, Draw::fresh})
            runs.push_back({{problem, 2, first_seed(context) + static_cast<std::uint64_t>(i), until}, draw, samples});
    const auto paths = euler_flows(context, runs);

    Figure figure;
    figure.parameters = {
        {"activation", "softmax"}, {"H", 2}, {"F", 2}, {"L", 8}, {"prior", "flipping spike, nu = (2, 2)"},
        {"step", euler_step}};
    figure.choices = {{"samples", fmt::format("{} at this tier; the paper has 100000, as the full tier does", samples)},
                      {"time", until},
                      {"histogram", fmt::format("over all steps of {} starts", seeds)}};
    // Differences of the first head's overlaps at all steps.
    std::array<std::vector<double>, 2> differences;
    double widest = 0;
    // Largest distances over the time of a start, relative to its largest |m|.
    Eigen::VectorXd apart(seeds), fixed_error(seeds), fresh_error(seeds);
    for (std::size_t i = 0; i + 2 < paths.size(); i += 3) {
        double largest = 0, between = 0, fixed_distance = 0, fresh_distance = 0;
        const Path &exact = paths[i], &fixed = paths[i + 1], &fresh = paths[i + 2];
        for (std::size_t k = 0; k < exact.knots.size(); ++k) {
            const auto m = [&](const Path& p) { return unflatten(p.knots[k].x, 2, 2).m; };
            const Eigen::MatrixXd e = m(exact), a = m(fixed), b = m(fresh);
            for (int f = 0; f < 2; ++f) differences[static_cast<std::size_t>(f)].push_back(b(0, f) - a(0, f));
            largest = std::max(largest, e.cwiseAbs().maxCoeff());
            between = std::max(between, (b - a).row(0).cwiseAbs().maxCoeff());
            fixed_distance = std::max(fixed_distance, (a - e).cwiseAbs().maxCoeff());
            fresh_distance = std::max(fresh_distance, (b - e).cwiseAbs().maxCoeff());
        }
        widest = std::max(widest, between);
        const auto start = static_cast<Eigen::Index>(i / 3);
        apart[start] = between / largest;
        fixed_error[start] = fixed_distance / largest;
        fresh_error[start] = fresh_distance / largest;
    }
    for (std::size_t f = 0; f < 2; ++f) {
        const double bin = std::max(widest, 1e-6) / 20;
        std::map<long, int> counts;
        for (const double x : differences[f]) ++counts[std::lround(x / bin)];
        Panel panel{fmt::format("f = {}", f + 1), fmt::format("m_{{1{}}} fresh - fixed", f + 1), "share of steps"};
        Curve curve{"differences"};
        for (long b = -21; b <= 21; ++b)
            curve.points.push_back({static_cast<double>(b) * bin,
                                    counts.contains(b) ? counts[b] / static_cast<double>(differences[f].size()) : 0,
                                    0});
        panel.curves = {curve};
        panel.extra = {"set yrange [0:*]"};
        figure.chart.panels.push_back(panel);
    }
    Panel course{"first start: flipping direction", "τ", "m_{12}"};
    course.log_x = true;
    const std::array<const char*, 3> names{"exact", "fixed samples", "fresh samples"};
    for (std::size_t k = 0; k < 3; ++k) {
        Curve curve{names[k], {}, static_cast<int>(k), k == 0 ? Mark::line : Mark::dashed};
        curve.in_legend = true;
        for (const double tau : logarithmic_grid(paths[k], 0.02, 200))
            if (tau > 0) curve.points.push_back({tau, interpolate(paths[k], tau).m(0, 1), 0});
        course.curves.push_back(curve);
    }
    figure.chart.panels.push_back(course);
    figure.chart.panel_height = 310;
    const auto add = [&](const char* text, const char* quantity, const Eigen::VectorXd& measured) {
        figure.statements.push_back(
            {text,
             our_reading(at_most(Form::printed, "monte-carlo flow",
                                 fmt::format("{}, over the largest |m|, {} samples, mean of {} starts (largest {:.3g})",
                                             quantity, samples, seeds, measured.maxCoeff()),
                                 0.05, mean_of(measured), context.seed))});
    };
    add("Keeping the samples does not affect the behaviour of the model.",
        "largest difference of the first head's overlaps between fresh and fixed samples", apart);
    add("Training on fixed samples follows the exact flow.", "largest distance of the overlaps from the exact flow",
        fixed_error);
    add("Training on fresh samples follows the exact flow.", "largest distance of the overlaps from the exact flow",
        fresh_error);
    return figure;
}

}  // namespace

std::vector<FigureMaker> samples() {
    return {{8, "Training on fixed and on fresh Monte Carlo samples, softmax, flipping spike", figure_8}};
}

}  // namespace lemmata::verify::figures
