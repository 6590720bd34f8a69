// Fig. 5: the loss after training for the three activations, against the number of heads and against
// the strength of the signal, beside the Bayes risk and softmax's floor.
#include "figures/limits.hpp"
#include "figures/coarse_runs.hpp"
#include "figures/figures.hpp"
#include "figures/runs.hpp"

#include <lemmata/bayes_risk.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lemmata::verify::figures {
namespace {

constexpr std::int64_t tokens = 5;
constexpr double floor_of_softmax = tokens / (4.0 * (tokens - 1));  // two-sided priors, docs/bayes.md

double training_time(const FigureContext& context) {
    return context.pick(300.0, 1000.0, 1000.0);
}

enum Kind { spikes, gaussian };
constexpr std::array kinds{spikes, gaussian};

Prior prior_of(Kind kind, int features, double nu) {
    if (kind == gaussian) return Prior::gaussian(Eigen::VectorXd::Constant(features, nu));
    return features == 2 ? Prior::flipping_spike(nu, nu) : Prior::spikes(features, nu);
}

// The losses of several runs of one setting.
struct Ends {
    double mean = 0, deviation = 0, least = 0;
    double error = 0;  // of one loss: the largest margin, and what the first run's changes by when run more coarsely
    double deviation_error = 0;
};

Ends ends_of(const std::vector<Limit>& limits, const Limit& coarse) {
    Ends ends;
    const auto count = static_cast<double>(limits.size());
    ends.least = limits.front().loss.value;
    for (const Limit& l : limits) {
        ends.mean += l.loss.value / count;
        ends.error = std::max(ends.error, margin(l.loss));
        ends.least = std::min(ends.least, l.loss.value);
    }
    ends.error += std::abs(limits.front().loss.value - coarse.loss.value);
    for (const Limit& l : limits) ends.deviation += (l.loss.value - ends.mean) * (l.loss.value - ends.mean);
    ends.deviation = std::sqrt(ends.deviation / (count - 1));
    ends.deviation_error = ends.error * std::sqrt(count / (count - 1));  // all losses off by the error, at worst
    return ends;
}

// The smallest or largest of several numbers, with the largest of their errors.
Estimate smallest(const std::vector<Estimate>& all) {
    Estimate result = all.front();
    for (const Estimate& e : all) result = {std::min(result.value, e.value), std::max(result.error, e.error)};
    return result;
}

Estimate largest(std::vector<Estimate> all) {
    for (Estimate& e : all) e.value = -e.value;
    const Estimate result = smallest(all);
    return {-result.value, result.error};
}

// 1 - after / before.
Estimate decrease(const Estimate& before, const Estimate& after) {
    const double ratio = after.value / before.value;
    return {1 - ratio, (margin(after) + ratio * margin(before)) / before.value};
}

struct Point {
    double x;
    std::array<Ends, 3> ends;  // by activation
    Estimate risk;
};

// All points of one panel, from one batch of runs.
struct Row {
    Kind kind;
    int features;
    std::vector<std::pair<int, double>> settings;  // H, nu
};

std::vector<std::vector<Point>> points_of(const FigureContext& context, const std::vector<Row>& rows, int seeds,
                                          Figure& figure) {
    std::vector<FlowRun> runs, firsts;
    for (const Row& row : rows)
        for (const auto& [H, nu] : row.settings)
            for (const Activation activation : all_activations)
                for (int i = 0; i < seeds; ++i) {
                    runs.push_back(trained(context, {activation, tokens, prior_of(row.kind, row.features, nu)}, H,
                                           first_seed(context) + static_cast<std::uint64_t>(i)));
                    if (i == 0) firsts.push_back(runs.back());
                }
    const auto all = limits(context, runs), coarse = coarse_limits(context, firsts);
    int minima = 0;
    double gradient = 0;
    for (const Limit& l : all) {
        gradient = std::max(gradient, l.largest_gradient);
        minima += l.minimum;
    }
    figure.observed = {{"runs", runs.size()},
                       {"polished, without a direction of negative curvature", minima},
                       {"largest entry of a gradient left", gradient}};
    std::vector<std::vector<Point>> result;
    auto next = all.begin();
    auto coarse_next = coarse.begin();
    for (const Row& row : rows) {
        result.emplace_back();
        for (const auto& [H, nu] : row.settings) {
            Point point{row.settings.front().first == row.settings.back().first ? nu : H, {}, {}};
            for (std::size_t a = 0; a < 3; ++a, next += seeds)
                point.ends[a] = ends_of({next, next + seeds}, *coarse_next++);
            point.risk = bayes_risk(prior_of(row.kind, row.features, nu), tokens).risk;
            result.back().push_back(point);
        }
    }
    return result;
}

Panel panel_of(const std::string& title, const std::string& x, const std::vector<Point>& points, bool floor) {
    Panel panel{title, x, "ℰ^∞"};
    for (std::size_t a = 0; a < 3; ++a) {
        Curve curve{std::string(name(all_activations[a])), {}, static_cast<int>(a), Mark::points_and_line};
        curve.in_legend = true;
        for (const Point& p : points) curve.points.push_back({p.x, p.ends[a].mean, p.ends[a].deviation});
        panel.curves.push_back(curve);
    }
    Curve risk{"Bayes risk", {}, 6, Mark::dashed};
    risk.in_legend = true;
    for (const Point& p : points) risk.points.push_back({p.x, p.risk.value, 0});
    panel.curves.push_back(risk);
    if (floor) {
        Curve bound{"L/(4(L-1))", {}, 3, Mark::dashed};
        bound.in_legend = true;
        for (const Point& p : points) bound.points.push_back({p.x, floor_of_softmax, 0});
        panel.curves.push_back(bound);
    }
    panel.extra = {"set yrange [0:*]"};
    return panel;
}

Figure figure_5(const FigureContext& context) {
    const int seeds = context.pick(2, 5, 5);
    const std::vector<int> heads =
        context.pick(std::vector{1, 2, 4}, std::vector{1, 2, 4, 6, 8}, std::vector{1, 2, 3, 4, 5, 6, 7, 8, 10});
    const std::vector<double> strengths = context.pick(std::vector{2.0, 10.0}, std::vector{1.0, 3.0, 10.0, 30.0},
                                                       std::vector{0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0});
    std::vector<Row> rows;
    for (const Kind kind : kinds) {
        rows.push_back({kind, 4, {}});
        for (const int H : heads) rows.back().settings.emplace_back(H, 10.0);
    }
    for (const Kind kind : kinds) {
        rows.push_back({kind, 2, {}});
        for (const double nu : strengths) rows.back().settings.emplace_back(4, nu);
    }
    Figure figure;
    const auto points = points_of(context, rows, seeds, figure);
    figure.parameters = {
        {"L", tokens}, {"eta", 1}, {"left", "F = 4, nu = 10"}, {"right", "F = 2, H = 4"}, {"runs", seeds}};
    figure.choices = {
        {"heads", heads},
        {"strengths", strengths},
        {"limit",
         fmt::format(
             "flow to tau = {:g} or until the gradient is below 1e-5, then Newton steps (quick tier and more than "
             "four heads: until 1e-6, no steps); Bayes-softmax with two heads or more on fixed Sobol points; its "
             "loss is evaluated on other points, with an error",
             training_time(context))},
        {"error", "of a loss: that of its evaluation, and what the first run's changes by when run more coarsely"}};
    figure.chart.panel_height = 370;
    figure.chart.panels = {
        panel_of("spikes, F = 4", "H", points[0], false), panel_of("Gaussian, F = 4", "H", points[1], true),
        panel_of("flipping spike, F = 2", "ν", points[2], false), panel_of("Gaussian, F = 2", "ν", points[3], true)};
    for (std::size_t p : {2U, 3U}) {
        figure.chart.panels[p].log_x = true;
        figure.chart.panels[p].extra.push_back("set format x '%g'");
    }

    constexpr std::size_t softmax = 0, softmax_1 = 1, bayes = 2;
    auto& say = figure.statements;
    const auto excess = [](const Point& p) { return p.ends[bayes].mean / p.risk.value - 1; };
    for (const Point& p : points[0])
        if (p.x >= 4)
            say.push_back(
                {"For a discrete prior Bayes-softmax reaches the Bayes risk once there is a head for each spike.",
                 our_reading(at_most(
                     Form::printed, "flow and polish",
                     fmt::format("relative excess over the Bayes risk {:.5f}, spikes, H = {}", p.risk.value, p.x), 0.01,
                     {excess(p), p.ends[bayes].error / p.risk.value}, context.seed))});
        else
            say.push_back({"With fewer heads than spikes it does not.",
                           our_reading(at_least(Form::printed, "flow and polish",
                                                fmt::format("relative excess over the Bayes risk, spikes, H = {}", p.x),
                                                0.01, {excess(p), p.ends[bayes].error / p.risk.value}, context.seed))});
    for (std::size_t a = 0; a < 3; ++a) {
        std::vector<Estimate> decreases;
        for (std::size_t i = 0; i + 1 < points[1].size(); ++i) {
            const Ends &few = points[1][i].ends[a], &more = points[1][i + 1].ends[a];
            decreases.push_back({few.mean - more.mean, few.error + more.error});
        }
        say.push_back({"For a continuous prior the loss does not plateau and continues to decrease with more heads.",
                       at_least(Form::printed, "flow and polish",
                                fmt::format("smallest decrease from one H to the next, Gaussian, F = 4, {}",
                                            name(all_activations[a])),
                                0, smallest(decreases), context.seed)});
    }
    const auto mean_of = [](const Point& p, std::size_t a) { return Estimate{p.ends[a].mean, p.ends[a].error}; };
    const auto gap = [&](const Point& p) {
        return Estimate{p.ends[softmax].mean - p.ends[softmax_1].mean, p.ends[softmax].error + p.ends[softmax_1].error};
    };
    std::vector<Estimate> differences, growths, above_floor, over_bayes, deviations;
    for (const Point& p : points[2]) {
        const Estimate relative = decrease(mean_of(p, softmax), mean_of(p, softmax_1));
        differences.push_back({std::abs(relative.value), relative.error});
    }
    for (std::size_t i = 0; i + 1 < points[3].size(); ++i) {
        const Estimate weaker = gap(points[3][i]), stronger = gap(points[3][i + 1]);
        growths.push_back({stronger.value - weaker.value, stronger.error + weaker.error});
    }
    for (const std::size_t panel : {1U, 3U})
        for (const Point& p : points[panel])
            above_floor.push_back({p.ends[softmax].least - floor_of_softmax, p.ends[softmax].error});
    for (const std::size_t panel : {2U, 3U})
        for (const Point& p : points[panel])
            over_bayes.push_back({p.ends[bayes].mean - p.risk.value, p.ends[bayes].error + margin(p.risk)});
    for (const auto& panel : points)
        for (const Point& p : panel)
            for (const Ends& e : p.ends) deviations.push_back({e.deviation, e.deviation_error});
    say.push_back({"For the flipping spike softmax and softmax-1 perform closely at all strengths.",
                   our_reading(at_most(Form::printed, "flow and polish",
                                       "largest relative difference of their losses, F = 2, H = 4", 0.1,
                                       largest(differences), context.seed))});
    say.push_back(
        {"For the isotropic Gaussian the gap between softmax and softmax-1 grows with the strength.",
         at_least(Form::printed, "flow and polish", "smallest growth of the gap from one strength to the next", 0,
                  smallest(growths), context.seed)});
    const Point &last = points[3].back(), &before = points[3][points[3].size() - 2];
    const Estimate of_loss = decrease(mean_of(before, softmax), mean_of(last, softmax)),
                   of_risk = decrease(before.risk, last.risk);
    const double share = of_loss.value / of_risk.value;
    say.push_back(
        {"For the isotropic Gaussian softmax plateaus at large strength.",
         our_reading(
             at_most(Form::printed, "flow and polish",
                     fmt::format("relative decrease of softmax's loss from nu = {} to {}, over that of the Bayes risk",
                                 before.x, last.x),
                     0.25, {share, (of_loss.error + std::abs(share) * of_risk.error) / of_risk.value}, context.seed))});
    say.push_back(
        {"Softmax is bounded away from 0 for two-sided priors, by L/(4(L-1)).",
         at_least(Form::printed, "flow and polish", "smallest loss of softmax minus the floor, Gaussian priors", 0,
                  smallest(above_floor), context.seed)});
    say.push_back(
        {"Bayes-softmax is very close to the Bayes risk.",
         our_reading(at_most(Form::printed, "flow and polish",
                             "largest excess of Bayes-softmax over the Bayes risk, F = 2, H = 4, all strengths", 0.02,
                             largest(over_bayes), context.seed))});
    say.push_back({"The standard deviations over runs are not visible.",
                   our_reading(at_most(Form::printed, "flow and polish",
                                       fmt::format("largest standard deviation of the loss over {} runs", seeds), 0.01,
                                       largest(deviations), context.seed))});
    return figure;
}

}  // namespace

FlowRun trained(const FigureContext& context, const Problem& problem, int heads, std::uint64_t seed) {
    return {problem, heads, seed, training_time(context)};
}

std::vector<FigureMaker> limit_losses() {
    return {{5, "Loss after training against the number of heads and the strength of the signal", figure_5}};
}

}  // namespace lemmata::verify::figures
