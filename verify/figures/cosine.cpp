// Fig. 11: cosine of the two heads of softmax after training, over the strengths of the two directions.
#include "figures/coarse_runs.hpp"
#include "figures/figures.hpp"
#include "figures/runs.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lemmata::verify::figures {
namespace {

Figure figure_11(const FigureContext& context) {
    const int n = context.pick(4, 9, 15);
    std::vector<double> strengths;  // from 0.25 to 16
    for (int i = 0; i < n; ++i) strengths.push_back(0.25 * std::pow(64.0, static_cast<double>(i) / (n - 1)));
    std::vector<FlowRun> runs;
    for (const double nu1 : strengths)
        for (const double nu2 : strengths)
            runs.push_back({{Activation::softmax, 4, Prior::flipping_spike(nu1, nu2)}, 2, first_seed(context), 10'000});
    const auto ends = limits(context, runs), coarse = coarse_limits(context, runs);
    const auto cosine_of = [](const Limit& end) {
        return end.state.m.row(0).normalized().dot(end.state.m.row(1).normalized());
    };
    Eigen::MatrixXd cosine(n, n), error(n, n);
    double gradient = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const auto k = static_cast<std::size_t>(i * n + j);
            cosine(i, j) = cosine_of(ends[k]);
            error(i, j) = std::abs(cosine(i, j) - cosine_of(coarse[k]));
            gradient = std::max(gradient, ends[k].largest_gradient);
        }
    Figure figure;
    figure.parameters = {{"activation", "softmax"}, {"H", 2}, {"F", 2}, {"L", 4}, {"prior", "flipping spike"}};
    figure.choices = {
        {"strengths", fmt::format("{} values from 0.25 to 16 for either, evenly spaced in the logarithm", n)},
        {"eta", 1},
        {"limit", fmt::format("largest entry of a gradient {:.1g}", gradient)}};
    Panel map{"cosine of the heads", "log_2 ν_1", "log_2 ν_2"}, curves{"cosine of the heads", "ν_1", "cosine"};
    Curve cells{"cosine", {}, 0, Mark::cells};
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            cells.points.push_back({std::log2(strengths[static_cast<std::size_t>(i)]),
                                    std::log2(strengths[static_cast<std::size_t>(j)]), cosine(i, j)});
    map.curves = {cells};
    map.extra = {"set palette defined (-1 '#2166ac', 0 '#f7f7f7', 1 '#b2182b')", "set cbrange [-1:1]",
                 "set xrange [-2.5:4.5]", "set yrange [-2.5:4.5]", "unset grid"};
    curves.log_x = true;
    curves.extra = {"set format x '%g'", "set yrange [-1.05:1.05]"};
    for (int j = 0; j < n; j += std::max(1, n / 4)) {
        Curve curve{fmt::format("ν_2 = {:.2g}", strengths[static_cast<std::size_t>(j)]), {}, j / std::max(1, n / 4)};
        curve.in_legend = true;
        for (int i = 0; i < n; ++i) curve.points.push_back({strengths[static_cast<std::size_t>(i)], cosine(i, j), 0});
        curves.curves.push_back(curve);
    }
    figure.chart.panels = {map, curves};
    figure.chart.panel_height = 340;

    // Monotone: the change from one strength to the next that speaks most against it, its error considered. Heads that
    // stay together have cosine 1, equal up to how far the flow went.
    const Eigen::MatrixXd along1 = cosine.bottomRows(n - 1) - cosine.topRows(n - 1),
                          along2 = cosine.leftCols(n - 1) - cosine.rightCols(n - 1),
                          errors1 = error.bottomRows(n - 1) + error.topRows(n - 1),
                          errors2 = error.leftCols(n - 1) + error.rightCols(n - 1);
    const auto add = [&](const char* text, const char* which, const Eigen::MatrixXd& changes,
                         const Eigen::MatrixXd& errors) {
        Eigen::Index i = 0, j = 0;
        (changes + errors).minCoeff(&i, &j);
        Evidence e = at_least(Form::printed, "flow and polish",
                              fmt::format("smallest change of the cosine between neighbours, error considered, {}, of "
                                          "{}, at nu = ({:.3g}, {:.3g})",
                                          which, changes.size(), strengths[static_cast<std::size_t>(i)],
                                          strengths[static_cast<std::size_t>(j)]),
                              0, {changes(i, j), errors(i, j)}, context.seed);
        // No change within the error is what a flat region gives, and monotone.
        if (e.outcome == Outcome::undecided && (changes - errors).maxCoeff() > 0) e.outcome = Outcome::holds;
        // The figure's range is not stated and ours may be wider: a change of sign in it does not refute the figure.
        figure.statements.push_back({text, our_reading(e)});
    };
    add("The cosine of the heads grows with the strength of the mean direction.", "along nu_1", along1, errors1);
    add("The cosine of the heads falls with the strength of the flipping direction.", "along falling nu_2", along2,
        errors2);
    return figure;
}

}  // namespace

std::vector<FigureMaker> cosine() {
    return {{11, "Cosine of the two heads of softmax over the two strengths, flipping spike, L = 4", figure_11}};
}

}  // namespace lemmata::verify::figures
