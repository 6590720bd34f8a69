// Fig. 5: the loss after training for the three activations, against the number of heads and against
// the strength of the signal, beside the Bayes risk and softmax's floor.
#include "figures/limits.hpp"
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

enum Kind { spikes, gaussian };
constexpr std::array kinds{spikes, gaussian};

Prior prior_of(Kind kind, int features, double nu) {
    if (kind == gaussian) return Prior::gaussian(Eigen::VectorXd::Constant(features, nu));
    return features == 2 ? Prior::flipping_spike(nu, nu) : Prior::spikes(features, nu);
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
                                          double& gradient) {
    std::vector<FlowRun> runs;
    for (const Row& row : rows)
        for (const auto& [H, nu] : row.settings)
            for (const Activation activation : all_activations)
                for (int i = 0; i < seeds; ++i)
                    runs.push_back(trained({activation, tokens, prior_of(row.kind, row.features, nu)}, H,
                                           first_seed(context) + static_cast<std::uint64_t>(i)));
    const auto all = limits(context, runs);
    for (const Limit& l : all) gradient = std::max(gradient, l.largest_gradient);
    std::vector<std::vector<Point>> result;
    auto next = all.begin();
    for (const Row& row : rows) {
        result.emplace_back();
        for (const auto& [H, nu] : row.settings) {
            Point point{row.settings.front().first == row.settings.back().first ? nu : H, {}, {}};
            for (std::size_t a = 0; a < 3; ++a, next += seeds) point.ends[a] = ends_of({next, next + seeds});
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
        context.pick(std::vector{1, 2, 4}, std::vector{1, 2, 3, 4, 6, 8}, std::vector{1, 2, 3, 4, 5, 6, 7, 8, 10});
    const std::vector<double> strengths = context.pick(std::vector{2.0, 10.0}, std::vector{1.0, 3.0, 10.0, 30.0, 100.0},
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
    double gradient = 0;  // the largest entry that any run was left with
    const auto points = points_of(context, rows, seeds, gradient);

    Figure figure;
    figure.parameters = {
        {"L", tokens}, {"eta", 1}, {"left", "F = 4, nu = 10"}, {"right", "F = 2, H = 4"}, {"runs", seeds}};
    figure.choices = {
        {"heads", heads},
        {"strengths", strengths},
        {"limit",
         "flow to tau = 1000 or until the gradient is below 1e-5, then Newton steps; more than four heads: until 1e-6; "
         "Bayes-softmax "
         "with two heads or more on fixed Sobol points; its loss is evaluated on other points, with an error"}};
    figure.choices["largest gradient left"] = gradient;
    figure.chart.panel_height = 340;
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
        double least = 1;
        for (std::size_t i = 0; i + 1 < points[1].size(); ++i)
            least = std::min(least, points[1][i].ends[a].mean - points[1][i + 1].ends[a].mean);
        say.push_back(
            {"For a continuous prior the loss does not plateau and continues to decrease with more heads.",
             at_least(
                 Form::printed, "flow and polish",
                 fmt::format("smallest decrease from one H to the next, Gaussian, F = 4, {}", name(all_activations[a])),
                 0, {least, points[1].back().ends[a].error + points[1].front().ends[a].error}, context.seed)});
    }
    double close = 0, least_growth = 1, below_floor = 1, over_bayes = 0, bayes_error = 0;
    for (const Point& p : points[2])
        close = std::max(close, std::abs(p.ends[softmax].mean - p.ends[softmax_1].mean) / p.ends[softmax].mean);
    for (std::size_t i = 0; i + 1 < points[3].size(); ++i)
        least_growth =
            std::min(least_growth, (points[3][i + 1].ends[softmax].mean - points[3][i + 1].ends[softmax_1].mean) -
                                       (points[3][i].ends[softmax].mean - points[3][i].ends[softmax_1].mean));
    for (const std::size_t panel : {1U, 3U})
        for (const Point& p : points[panel])
            below_floor = std::min(below_floor, p.ends[softmax].least - floor_of_softmax);
    for (const std::size_t panel : {2U, 3U})
        for (const Point& p : points[panel]) {
            over_bayes = std::max(over_bayes, p.ends[bayes].mean - p.risk.value);
            bayes_error = std::max(bayes_error, p.ends[bayes].error);
        }
    say.push_back({"For the flipping spike softmax and softmax-1 perform closely at all strengths.",
                   our_reading(at_most(Form::printed, "flow and polish",
                                       "largest relative difference of their losses, F = 2, H = 4", 0.1, {close, 1e-4},
                                       context.seed))});
    say.push_back(
        {"For the isotropic Gaussian the gap between softmax and softmax-1 grows with the strength.",
         at_least(Form::printed, "flow and polish", "smallest growth of the gap from one strength to the next", 0,
                  {least_growth, 1e-5}, context.seed)});
    const Point &last = points[3].back(), &before = points[3][points[3].size() - 2];
    say.push_back(
        {"For the isotropic Gaussian softmax plateaus at large strength.",
         our_reading(at_most(
             Form::printed, "flow and polish",
             fmt::format("relative decrease of softmax's loss from nu = {} to {}, over that of the Bayes risk",
                         before.x, last.x),
             0.25,
             {(1 - last.ends[softmax].mean / before.ends[softmax].mean) / (1 - last.risk.value / before.risk.value),
              1e-3},
             context.seed))});
    say.push_back(
        {"Softmax is bounded away from 0 for two-sided priors, by L/(4(L-1)).",
         at_least(Form::printed, "flow and polish", "smallest loss of softmax minus the floor, Gaussian priors", 0,
                  {below_floor, 1e-7}, context.seed)});
    say.push_back(
        {"Bayes-softmax is very close to the Bayes risk.",
         our_reading(at_most(Form::printed, "flow and polish",
                             "largest excess of Bayes-softmax over the Bayes risk, F = 2, H = 4, all strengths", 0.02,
                             {over_bayes, bayes_error}, context.seed))});
    double deviation = 0;
    for (const auto& panel : points)
        for (const Point& p : panel)
            for (const Ends& e : p.ends) deviation = std::max(deviation, e.deviation);
    say.push_back({"The standard deviations over runs are not visible.",
                   our_reading(at_most(Form::printed, "flow and polish",
                                       fmt::format("largest standard deviation of the loss over {} runs", seeds), 0.01,
                                       {deviation, 1e-5}, context.seed))});
    return figure;
}

}  // namespace

FlowRun trained(const Problem& problem, int heads, std::uint64_t seed) {
    return {problem, heads, seed, 1000};
}

Ends ends_of(const std::vector<Limit>& limits) {
    Ends ends;
    const auto count = static_cast<double>(limits.size());
    ends.least = limits.front().loss.value;
    for (const Limit& l : limits) {
        ends.mean += l.loss.value / count;
        ends.error = std::max(ends.error, margin(l.loss));
        ends.least = std::min(ends.least, l.loss.value);
    }
    for (const Limit& l : limits) ends.deviation += (l.loss.value - ends.mean) * (l.loss.value - ends.mean);
    ends.deviation = limits.size() > 1 ? std::sqrt(ends.deviation / (count - 1)) : 0;
    return ends;
}

std::vector<FigureMaker> limit_losses() {
    return {{5, "Loss after training against the number of heads and the strength of the signal", figure_5}};
}

}  // namespace lemmata::verify::figures
