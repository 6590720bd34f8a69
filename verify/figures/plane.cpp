// Figs. 2, 3 and 12-18: the heads' way through the plane of two features.
#include "figures/coarse_runs.hpp"
#include "figures/figures.hpp"
#include "figures/heads.hpp"
#include "figures/runs.hpp"

#include <lemmata/events.hpp>
#include <lemmata/fit.hpp>
#include <lemmata/head_groups.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <numbers>

namespace lemmata::verify::figures {
namespace {

constexpr std::int64_t tokens = 4;

int starts(const FigureContext& context) {
    return context.pick(2, 8, 20);
}

double until(const FigureContext& context) {
    return context.pick(500.0, 2000.0, 2000.0);
}

struct Setting {
    std::string title;
    Problem problem;
    int heads;
    double until;
};

struct Group {
    Setting setting;
    std::vector<Path> paths;  // one for each start
    Path coarse;              // the first start, run more coarsely
};

// What a number of the first start changes by when it is run more coarsely.
template <typename Quantity>
double error_of(const Group& g, const Quantity& quantity) {
    return std::abs(quantity(g.paths[0]) - quantity(g.coarse));
}

template <typename Quantity>
double largest_error(const std::vector<Group>& groups, const Quantity& quantity) {
    double largest = 0;
    for (const Group& g : groups) largest = std::max(largest, error_of(g, quantity));
    return largest;
}

std::vector<Group> run_all(const FigureContext& context, const std::vector<Setting>& settings, int starts) {
    std::vector<FlowRun> runs, firsts;
    for (const Setting& s : settings)
        for (int i = 0; i < starts; ++i) {
            runs.push_back({s.problem, s.heads, first_seed(context) + static_cast<std::uint64_t>(i), s.until});
            if (i == 0) firsts.push_back(runs.back());
        }
    const auto paths = flows(context, runs), coarse = coarse_flows(context, firsts);
    std::vector<Group> groups;
    for (std::size_t g = 0; g < settings.size(); ++g) {
        const auto from = paths.begin() + static_cast<std::ptrdiff_t>(g) * starts;
        groups.push_back({settings[g], {from, from + starts}, coarse[g]});
    }
    return groups;
}

// Lines for the ways, a dot where each ends.
Panel plane(const std::string& title, const Path& path) {
    Panel panel{title, "m_{h1}", "m_{h2}"};
    panel.zero_axes = true;
    for (int h = 0; h < path.heads; ++h) {
        Curve way{fmt::format("head {}", h + 1), {}, h};
        for (const double tau : logarithmic_grid(path, 0.01, 200)) {
            const State s = interpolate(path, tau);
            way.points.push_back({s.m(h, 0), s.m(h, 1), 0});
        }
        panel.curves.push_back(way);
    }
    const State end = last_state(path);
    for (int h = 0; h < path.heads; ++h)
        panel.curves.push_back({fmt::format("head {}, end", h + 1), {{end.m(h, 0), end.m(h, 1), 0}}, h, Mark::dots});
    return panel;
}

Figure drawn(const FigureContext& context, const std::vector<Group>& groups, int columns) {
    Figure figure;
    figure.choices = {{"time", fmt::format("up to tau = {:g}", until(context))},
                      {"groups", "heads nearer to each other than a tenth of the largest overlap are one group"}};
    figure.parameters = {{"L", tokens}, {"F", 2}, {"eta", 1}, {"noise", 0.01}};
    figure.chart.columns = columns;
    figure.chart.panel_height = columns == 3 ? 230 : 300;
    for (const Group& g : groups) figure.chart.panels.push_back(plane(g.setting.title, g.paths[0]));
    return figure;
}

// Figs. 2 and 15: flipping spike, nu = (2, 2), several numbers of heads.
Figure more_heads(const FigureContext& context, const std::vector<int>& heads) {
    const Problem problem{Activation::softmax, tokens, Prior::flipping_spike(2, 2)};
    std::vector<Setting> settings;
    for (const int H : heads) settings.push_back({fmt::format("H = {}", H), problem, H, until(context)});
    const auto groups = run_all(context, settings, starts(context));
    Figure figure = drawn(context, groups, 2);
    figure.parameters["prior"] = "flipping spike, nu = (2, 2)";
    // Heads that never part, or never align, say nothing about the order of the two.
    const auto time_ratio = [&](const Path& path) {
        const Events events = find_events(path, problem.prior.mean());
        return events.tau_u && events.tau_s_start ? *events.tau_s_start / *events.tau_u
                                                  : std::numeric_limits<double>::max();
    };
    const auto distance_when_aligned = [&](const Path& path) {
        const Events events = find_events(path, problem.prior.mean());
        return events.tau_u ? spread(interpolate(path, *events.tau_u), problem.prior.mean()) : 0;
    };
    const auto widest_angle = [](const Path& path) {
        const Eigen::MatrixXd m = last_state(path).m;
        double angle = 0;
        for (int h = 0; h < path.heads; ++h)
            angle = std::max(angle, std::abs(std::atan2(m(h, 1), m(h, 0))) * 180 / std::numbers::pi);
        return angle;
    };
    double ratio = std::numeric_limits<double>::max(), apart = 0;
    int runs = 0;
    std::vector<Estimate> widest;
    for (const Group& g : groups) {
        Eigen::VectorXd angles(static_cast<Eigen::Index>(g.paths.size()));
        for (std::size_t i = 0; i < g.paths.size(); ++i, ++runs) {
            ratio = std::min(ratio, time_ratio(g.paths[i]));
            apart = std::max(apart, distance_when_aligned(g.paths[i]));
            angles[static_cast<Eigen::Index>(i)] = widest_angle(g.paths[i]);
        }
        widest.push_back(mean_of(angles));
        widest.back().error += error_of(g, widest_angle);  // as if that were a standard error: on the safe side
        figure.observed[g.setting.title] = census(g.paths, problem.prior).observed();
    }
    figure.statements.push_back(
        {"All heads first align with the constant direction; only later do they part.",
         at_least(
             Form::printed, "flow",
             fmt::format("time at which the heads part over time at which they are half aligned, smallest of {} runs",
                         runs),
             1, {ratio, largest_error(groups, time_ratio)}, context.seed)});
    figure.statements.push_back(
        {"While they align, the heads stay together.",
         our_reading(at_most(Form::printed, "flow",
                             fmt::format("largest distance of heads when half aligned, largest of {} runs", runs), 0.1,
                             {apart, largest_error(groups, distance_when_aligned)}, context.seed))});
    for (std::size_t g = 0; g + 1 < groups.size(); ++g)
        figure.statements.push_back(
            {"With more heads, some diverge more from the mean direction.",
             at_least(
                 Form::printed, "flow",
                 fmt::format("widest angle from the mean direction at H = {} minus that at H = {} ({:.1f}), degrees, "
                             "mean over {} starts",
                             heads[g + 1], heads[g], widest[g].value, starts(context)),
                 0,
                 {widest[g + 1].value - widest[g].value, std::hypot(widest[g].error, widest[g + 1].error),
                  ErrorKind::standard},
                 context.seed)});
    return figure;
}

Problem gaussian(Activation activation, double first, double second) {
    return {activation, tokens, Prior::gaussian(Eigen::Vector2d(first, second))};
}

// What is said of Gaussian priors with different strengths: order in time, even split, patterns.
void judge_gaussian(const FigureContext& context, const Group& g, Figure& figure) {
    const Heads heads = census(g.paths, g.setting.problem.prior);
    const std::string where = fmt::format("{}, {}", name(g.setting.problem.activation), g.setting.title);
    figure.observed[g.setting.title] = heads.observed();
    figure.statements.push_back(
        {"Features are learnt one after the other, those with larger variance first.",
         heads.in_order(where, ratio_error(g.paths[0], g.coarse, g.setting.problem.prior), context.seed)});
    if (g.setting.problem.activation == Activation::bayes_softmax) return;
    figure.statements.push_back({"The heads split evenly into the two signs of each direction.",
                                 heads.most("even in both features, " + where, heads.even, context.seed)});
    if (g.setting.heads >= 4)
        figure.statements.push_back({"If there are heads enough, they learn all sign patterns.",
                                     heads.most("all 4 patterns, " + where, heads.all_patterns, context.seed)});
}

// For equal strengths directions are arbitrary: the sum of the overlaps tells whether the split is even.
void judge_isotropic(const FigureContext& context, const Group& g, Figure& figure) {
    const auto unevenness = [](const Path& path) {
        const Eigen::MatrixXd m = last_state(path).m;
        return m.colwise().sum().norm() / m.rowwise().norm().sum();
    };
    double largest = 0;
    for (const Path& path : g.paths) largest = std::max(largest, unevenness(path));
    figure.observed[g.setting.title] = census(g.paths, g.setting.problem.prior).observed();
    figure.statements.push_back(
        {"The heads split evenly.",
         our_reading(at_most(Form::printed, "flow",
                             fmt::format("|sum of m_h| over sum of |m_h|, largest of {} runs, {}, {}", g.paths.size(),
                                         name(g.setting.problem.activation), g.setting.title),
                             0.1, {largest, error_of(g, unevenness)}, context.seed))});
}

Figure figure_3(const FigureContext& context) {
    const Problem uneven = gaussian(Activation::softmax, 8, 2), equal = gaussian(Activation::softmax, 4, 4);
    const std::vector<Setting> settings{{"H = 4, variances (8, 2)", uneven, 4, until(context)},
                                        {"H = 8, variances (8, 2), a run", uneven, 8, until(context)},
                                        {"H = 8, variances (4, 4)", equal, 8, until(context)}};
    const auto groups = run_all(context, settings, starts(context));
    Figure figure = drawn(context, groups, 2);
    auto& panels = figure.chart.panels;
    panels.insert(panels.begin() + 2, plane("H = 8, variances (8, 2), another", groups[1].paths[1]));
    figure.choices.update({{"strengths", "(8, 2) in the first three panels, (4, 4) in the last"},
                           {"heads", "4, 8, 8, 8; the caption names those of the two central panels"},
                           {"starts", fmt::format("{} for the numbers; one is drawn", starts(context))}});
    judge_gaussian(context, groups[0], figure);
    judge_gaussian(context, groups[1], figure);
    const Heads heads = census(groups[1].paths, uneven.prior);
    Evidence mended;  // vacuous if no start was uneven at first
    mended.quantity = "no start was uneven at first, H = 8";
    mended.outcome = Outcome::vacuous;
    if (heads.uneven_first > 0)
        mended = share_at_least(
            fmt::format("even in the end, of the starts uneven at first, H = 8 ({} of {} starts have excursions)",
                        heads.excursions, heads.runs),
            heads.mended, heads.uneven_first, 0.5, context.seed);
    figure.statements.push_back(
        {"Heads may split unevenly at first, and rearrange by excursions so that the split is even in the end.",
         mended});
    const Heads together = census(groups[2].paths, equal.prior);
    figure.statements.push_back({"Features of the same strength are learnt at the same time.",
                                 our_reading(about("later over earlier learning time, variances (4, 4), H = 8", 1,
                                                   together.later_ratios, context.seed))});
    return figure;
}

Figure several_heads(const FigureContext& context, Activation activation, const std::vector<int>& heads) {
    std::vector<Setting> settings;
    for (const double first : {2.0, 8.0})
        for (const int H : heads)
            settings.push_back(
                {fmt::format("H = {}, ({}, 2)", H, first), gaussian(activation, first, 2), H, until(context)});
    const auto groups = run_all(context, settings, starts(context));
    Figure figure = drawn(context, groups, heads.size() == 3 ? 3 : 2);
    figure.parameters["prior"] = "Gaussian, variances (2, 2) and (8, 2)";
    figure.choices["starts"] = fmt::format("{} for the numbers; the first is drawn", starts(context));
    for (const Group& g : groups)
        g.setting.problem.prior.covariance()(0, 0) > 2 ? judge_gaussian(context, g, figure)
                                                       : judge_isotropic(context, g, figure);
    return figure;
}

const std::vector<double> strengths{0.5, 2, 8};

std::vector<Group> grid(const FigureContext& context, Activation activation) {
    std::vector<Setting> settings;
    for (const double nu2 : strengths)
        for (const double nu1 : strengths)
            settings.push_back({fmt::format("ν = ({}, {})", nu1, nu2),
                                {activation, tokens, Prior::flipping_spike(nu1, nu2)},
                                2,
                                until(context)});
    return run_all(context, settings, 1);
}

// Smallest cosine between a head and the atom on its side, over the grid where nu2 <= nu1 / 4.
Estimate alignment_with_atoms(const std::vector<Group>& groups) {
    Estimate least{1, 0};
    for (const Group& g : groups) {
        const auto& atoms = g.setting.problem.prior.components();
        const Eigen::VectorXd a = atoms[0].mean, b = atoms[1].mean;
        if (a[1] * a[1] > a[0] * a[0] / 4 + 1e-12) continue;
        const auto alignment = [&](const Path& path) {
            const Eigen::MatrixXd m = last_state(path).m;
            // The heads may also have stayed together: each is held against a different atom, the better way round.
            const auto cosine = [&](int h, const Eigen::VectorXd& x) {
                return m.row(h).dot(x) / (m.row(h).norm() * x.norm());
            };
            return std::max(std::min(cosine(0, a), cosine(1, b)), std::min(cosine(0, b), cosine(1, a)));
        };
        least.value = std::min(least.value, alignment(g.paths[0]));
        least.error = std::max(least.error, error_of(g, alignment));
    }
    return least;
}

double cosine_between(const Path& path) {
    const Eigen::MatrixXd m = last_state(path).m;
    return m.row(0).normalized().dot(m.row(1).normalized());
}

Figure strength_grid(const FigureContext& context, Activation activation) {
    const auto groups = grid(context, activation);
    Figure figure = drawn(context, groups, 3);
    figure.parameters["H"] = 2;
    figure.choices["strengths"] = "0.5, 2 and 8 for either direction";
    if (activation == Activation::softmax_1) {
        const auto softmax = grid(context, Activation::softmax);
        double largest = 0;
        for (std::size_t g = 0; g < groups.size(); ++g)
            largest =
                std::max(largest, std::abs(cosine_between(groups[g].paths[0]) - cosine_between(softmax[g].paths[0])));
        figure.statements.push_back(
            {"Softmax-1 behaves similarly to softmax when the strengths vary.",
             our_reading(at_most(
                 Form::printed, "flow", "largest difference of the heads' cosine between the two, over the grid", 0.1,
                 {largest, largest_error(groups, cosine_between) + largest_error(softmax, cosine_between)},
                 context.seed))});
    }
    const Estimate least = alignment_with_atoms(groups);
    if (activation == Activation::bayes_softmax)
        figure.statements.push_back(
            {"Bayes-softmax reaches alignment with the hidden spikes even if the flipping direction is much weaker.",
             our_reading(at_least(Form::printed, "flow",
                                  "smallest cosine between a head and its atom, grid points with nu2 <= nu1 / 4", 0.99,
                                  least, context.seed))});
    else
        figure.statements.push_back(
            {"Unlike Bayes-softmax, this activation does not reach that alignment.",
             our_reading(at_most(Form::printed, "flow",
                                 "smallest cosine between a head and its atom, grid points with nu2 <= nu1 / 4", 0.99,
                                 least, context.seed))});
    return figure;
}

}  // namespace

std::vector<FigureMaker> plane() {
    const auto grid_of = [](Activation activation) {
        return [activation](const FigureContext& context) { return strength_grid(context, activation); };
    };
    const auto heads_of = [](Activation activation, std::vector<int> heads) {
        return [=](const FigureContext& context) { return several_heads(context, activation, heads); };
    };
    return {{2, "Heads in the plane, softmax, flipping spike, several H",
             [](const FigureContext& context) {
                 Figure figure = more_heads(context, {2, 4, 8});
                 figure.choices["heads"] = "2, 4 and 8";
                 return figure;
             }},
            {3, "Heads in the plane, softmax, Gaussian priors", figure_3},
            {12, "Heads in the plane for several strengths, softmax, flipping spike", grid_of(Activation::softmax)},
            {13, "Heads in the plane for several strengths, softmax-1, flipping spike", grid_of(Activation::softmax_1)},
            {14, "Heads in the plane for several strengths, Bayes-softmax, flipping spike",
             grid_of(Activation::bayes_softmax)},
            {15, "Heads in the plane, softmax, flipping spike, H = 2, 4, 5, 8",
             [](const FigureContext& context) {
                 return more_heads(context, {2, 4, 5, 8});
             }},
            {16, "Heads in the plane, softmax, Gaussian priors", heads_of(Activation::softmax, {2, 5, 8})},
            {17, "Heads in the plane, softmax-1, Gaussian priors", heads_of(Activation::softmax_1, {2, 4, 5, 8})},
            {18, "Heads in the plane, Bayes-softmax, Gaussian priors", heads_of(Activation::bayes_softmax, {2, 5, 8})}};
}

}  // namespace lemmata::verify::figures
