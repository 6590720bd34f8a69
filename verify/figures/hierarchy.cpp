// Figs. 4, 19 and 20: eight heads and three features of falling strength, learnt one after the other.
#include "figures/coarse_runs.hpp"
#include "figures/figures.hpp"
#include "figures/heads.hpp"
#include "figures/runs.hpp"

#include <lemmata/events.hpp>
#include <lemmata/head_groups.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lemmata::verify::figures {
namespace {

constexpr int head_count = 8;
constexpr int features = 3;
constexpr double pure = 0.95;

Problem problem_of(Activation activation) {
    return {activation, 5, Prior::gaussian(linear_variances(features, 20, 1))};
}

// The weakest feature is learnt after tau = 10000, and heads go on rearranging: what has not come to rest by then
// is counted as such.
double until(const FigureContext& context) {
    return context.pick(3e4, 1e5, 1e5);
}

struct Runs {
    std::vector<Path> paths;
    Path coarse;  // the first start, run more coarsely
};

Runs runs_of(const FigureContext& context, Activation activation, int starts) {
    std::vector<FlowRun> runs;
    for (int i = 0; i < starts; ++i)
        runs.push_back(
            {problem_of(activation), head_count, first_seed(context) + static_cast<std::uint64_t>(i), until(context)});
    return {flows(context, runs), coarse_flows(context, {runs.front()}).front()};
}

// What is said of both activations.
Heads judge_order(const FigureContext& context, Activation activation, const Runs& runs, Figure& figure) {
    const Prior prior = problem_of(activation).prior;
    Heads heads = census(runs.paths, prior);
    const std::string which(name(activation));
    figure.observed[which] = heads.observed();
    figure.statements.push_back(
        {"Features are learnt one after the other, those with larger variance first.",
         heads.in_order(which, ratio_error(runs.paths.front(), runs.coarse, prior), context.seed)});
    return heads;
}

int softmax_starts(const FigureContext& context) {
    return context.pick(4, 16, 40);
}

Panel against_time(const Path& path, int feature, const std::string& title) {
    Panel panel{title, "τ", fmt::format("m_{{h{}}}", feature + 1)};
    panel.log_x = true;
    for (int h = 0; h < head_count; ++h) {
        Curve curve{fmt::format("head {}", h + 1), {}, h};
        for (const double tau : logarithmic_grid(path, 0.1, 150))
            if (tau > 0) curve.points.push_back({tau, interpolate(path, tau).m(h, feature), 0});
        panel.curves.push_back(curve);
    }
    return panel;
}

Panel in_plane(const Path& path, int x, int y, const std::string& title) {
    Panel panel{title, fmt::format("m_{{h{}}}", x + 1), fmt::format("m_{{h{}}}", y + 1)};
    const Eigen::MatrixXd end = last_state(path).m;
    for (int h = 0; h < head_count; ++h) {
        Curve curve{fmt::format("head {}", h + 1), {}, h};
        for (const double tau : logarithmic_grid(path, 0.1, 150)) {
            const State s = interpolate(path, tau);
            curve.points.push_back({s.m(h, x), s.m(h, y), 0});
        }
        panel.curves.push_back(curve);
        panel.curves.push_back({fmt::format("head {}, end", h + 1), {{end(h, x), end(h, y), 0}}, h, Mark::dots});
    }
    return panel;
}

Figure setting(const FigureContext& context) {
    Figure figure;
    figure.parameters = {{"L", 5},   {"H", head_count}, {"F", features}, {"prior", "Gaussian, variances 20, 10.5, 1"},
                         {"eta", 1}, {"noise", 0.01}};
    figure.choices["starts"] = fmt::format("{} for softmax", softmax_starts(context));
    figure.choices["time"] = fmt::format("up to tau = {:g}", until(context));
    figure.choices["learnt"] =
        "a head has learnt a feature if its overlap is a tenth or more of the largest one with that feature; a feature "
        "is "
        "learnt when its spread over heads is half of the final one";
    return figure;
}

void judge_softmax(const FigureContext& context, const Runs& runs, Figure& figure) {
    const Heads heads = judge_order(context, Activation::softmax, runs, figure);
    figure.statements.push_back({"For each direction the heads split evenly into its two signs.",
                                 heads.most("even in all three features, softmax", heads.even, context.seed)});
    Eigen::VectorXd patterns(heads.runs);
    for (int i = 0; i < heads.runs; ++i) patterns[i] = heads.patterns[static_cast<std::size_t>(i)];
    figure.statements.push_back(
        {"The heads of softmax learn all 2^F sign patterns.",
         heads.most(fmt::format("all 8 patterns, softmax (mean number of patterns {:.2f}, least {:.0f})",
                                patterns.mean(), patterns.minCoeff()),
                    heads.all_patterns, context.seed)});
}

Figure figure_4(const FigureContext& context) {
    const auto softmax = runs_of(context, Activation::softmax, softmax_starts(context));
    const int bayes_starts = context.pick(2, 10, 20);
    const auto bayes = runs_of(context, Activation::bayes_softmax, bayes_starts);
    Figure figure = setting(context);
    for (int f = 0; f < features; ++f) {
        figure.chart.panels.push_back(against_time(softmax.paths[0], f, fmt::format("softmax: f = {}", f + 1)));
        figure.chart.panels.push_back(against_time(bayes.paths[0], f, fmt::format("Bayes-softmax: f = {}", f + 1)));
    }
    figure.choices["Bayes-softmax"] =
        fmt::format("{} starts, on {} fixed Sobol points", bayes_starts, context.pick(2048, 8192, 131072));
    judge_softmax(context, softmax, figure);
    const Heads heads = judge_order(context, Activation::bayes_softmax, bayes, figure);
    int all_pure = 0, paired = 0;
    Eigen::VectorXd least(bayes_starts), mean(bayes_starts);
    for (int i = 0; i < bayes_starts; ++i) {
        const Eigen::MatrixXd m = last_state(bayes.paths[static_cast<std::size_t>(i)]).m;
        const Eigen::VectorXd p = purity(m);
        least[i] = p.minCoeff();
        mean[i] = p.mean();
        all_pure += least[i] >= pure;
        bool both = least[i] >= pure;  // each direction that is taken is taken with both signs equally often
        for (int f = 0; f < features; ++f) {
            int balance = 0;
            for (int h = 0; h < head_count; ++h)
                if (std::abs(m(h, f)) >= pure * m.row(h).norm()) balance += m(h, f) > 0 ? 1 : -1;
            both &= balance == 0;
        }
        paired += both;
    }
    figure.statements.push_back(
        {"A head of Bayes-softmax learns a single direction.",
         heads.most(fmt::format("every head with a share of {} in one direction (mean share {:.3f}, least {:.3f})",
                                pure, mean.mean(), least.minCoeff()),
                    all_pure, context.seed)});
    figure.statements.push_back({"Heads of Bayes-softmax come in pairs of opposite signs, one direction a pair.",
                                 heads.most("all heads paired in single directions", paired, context.seed)});
    return figure;
}

Figure four_runs(const FigureContext& context, bool times) {
    const Runs runs = runs_of(context, Activation::softmax, softmax_starts(context));
    const auto& paths = runs.paths;
    Figure figure = setting(context);
    figure.choices["activation"] = "softmax; the caption names none";
    figure.chart.columns = times ? 3 : 2;
    figure.chart.panel_height = times ? 200 : 270;
    for (std::size_t i = 0; i < 4; ++i) {
        if (times)
            for (int f = 0; f < features; ++f)
                figure.chart.panels.push_back(against_time(paths[i], f, fmt::format("run {}: f = {}", i + 1, f + 1)));
        else
            for (int f = 0; f + 1 < features; ++f)
                figure.chart.panels.push_back(
                    in_plane(paths[i], f, f + 1, fmt::format("run {}: f = {}, {}", i + 1, f + 1, f + 2)));
    }
    judge_softmax(context, runs, figure);
    // "Similar across initializations": the loss that runs end with.
    Eigen::VectorXd ends(static_cast<Eigen::Index>(paths.size()));
    for (std::size_t i = 0; i < paths.size(); ++i)
        ends[static_cast<Eigen::Index>(i)] = paths[i].knots.back().loss.value;
    const double error = std::abs(ends[0] - runs.coarse.knots.back().loss.value) + margin(paths[0].knots.back().loss);
    figure.statements.push_back(
        {"The behaviour of the heads is similar across initializations.",
         our_reading(at_most(Form::printed, "flow",
                             fmt::format("range of the final loss over {} starts, relative to its mean {:.4f}",
                                         paths.size(), ends.mean()),
                             0.02, {(ends.maxCoeff() - ends.minCoeff()) / ends.mean(), 2 * error / ends.mean()},
                             context.seed))});
    return figure;
}

}  // namespace

std::vector<FigureMaker> hierarchy() {
    return {{4, "Eight heads and three features: softmax and Bayes-softmax", figure_4},
            {19, "Four runs of eight heads and three features, in planes of features",
             [](const FigureContext& context) { return four_runs(context, false); }},
            {20, "Four runs of eight heads and three features, against time",
             [](const FigureContext& context) { return four_runs(context, true); }}};
}

}  // namespace lemmata::verify::figures
