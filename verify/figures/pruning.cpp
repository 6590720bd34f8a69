// Fig. 7: the loss after heads are taken away, greedily, from a trained attention of eight.
#include "figures/figures.hpp"
#include "figures/limits.hpp"

#include <lemmata/fit.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata::verify::figures {
namespace {

constexpr std::int64_t tokens = 5;
constexpr int heads = 8;
constexpr int features = 4;
constexpr double significant = 0.1;  // of the way from the loss with all heads to that with a single one

struct Series {
    std::string prior;
    Activation activation;
    std::vector<std::vector<double>> losses;  // by run, then by number of heads taken
};

Eigen::VectorXd at(const Series& s, int taken) {
    Eigen::VectorXd values(static_cast<Eigen::Index>(s.losses.size()));
    for (std::size_t i = 0; i < s.losses.size(); ++i)
        values[static_cast<Eigen::Index>(i)] = s.losses[i][static_cast<std::size_t>(taken)];
    return values;
}

double deviation(const Eigen::VectorXd& x) {
    return std::sqrt((x.array() - x.mean()).square().sum() / static_cast<double>(x.size() - 1));
}

// Heads that can be taken before the loss has risen by the significant part, in each run.
Eigen::VectorXd prunable(const Series& s) {
    Eigen::VectorXd counts(static_cast<Eigen::Index>(s.losses.size()));
    for (std::size_t i = 0; i < s.losses.size(); ++i) {
        const auto& l = s.losses[i];
        int k = 0;
        while (k + 1 < heads && l[static_cast<std::size_t>(k + 1)] - l[0] <= significant * (l.back() - l[0])) ++k;
        counts[static_cast<Eigen::Index>(i)] = k;
    }
    return counts;
}

Figure figure_7(const FigureContext& context) {
    const int seeds = context.pick(2, 5, 5);
    const std::vector<std::pair<std::string, Prior>> priors{
        {"spikes", Prior::spikes(features, 10)},
        {"Gaussian", Prior::gaussian(Eigen::VectorXd::Constant(features, 10))}};
    std::vector<FlowRun> runs;
    for (const auto& [title, prior] : priors)
        for (const Activation activation : all_activations)
            for (int i = 0; i < seeds; ++i)
                runs.push_back(trained(context, {activation, tokens, prior}, heads,
                                       first_seed(context) + static_cast<std::uint64_t>(i)));
    const auto pruned = prunings(context, runs);
    std::vector<Series> all;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (i % static_cast<std::size_t>(seeds) == 0)
            all.push_back({priors[i / static_cast<std::size_t>(3 * seeds)].first, runs[i].problem.activation, {}});
        all.back().losses.emplace_back();
        for (const Estimate& e : pruned[i].losses) all.back().losses.back().push_back(e.value);
    }
    Figure figure;
    figure.parameters = {{"L", tokens}, {"F", features}, {"H", heads}, {"nu", 10}, {"runs", seeds}};
    figure.choices = {
        {"rescaling", "the mean over the heads that are left; Bayes-softmax normalises over them"},
        {"without significant loss", "the rise is at most a tenth of that from all heads to a single one"},
        {"about", "within one head, which is also how finely they can be counted"}};
    figure.chart.panel_height = 340;
    for (std::size_t p = 0; p < priors.size(); ++p) {
        Panel panel{priors[p].first, "heads taken away", "ℰ^∞"};
        for (std::size_t a = 0; a < 3; ++a) {
            const Series& s = all[3 * p + a];
            Curve curve{std::string(name(s.activation)), {}, static_cast<int>(a), Mark::points_and_line};
            curve.in_legend = true;
            for (int k = 0; k < heads; ++k) curve.points.push_back({double(k), at(s, k).mean(), deviation(at(s, k))});
            panel.curves.push_back(curve);
        }
        panel.extra = {"set yrange [0:*]"};
        figure.chart.panels.push_back(panel);
    }
    for (const Series& s : all) {
        const Eigen::VectorXd counts = prunable(s);
        const auto near = ((counts.array() - (heads - features)).abs() <= 1).count();
        const Evidence e = share_at_least(
            fmt::format(
                "runs in which the heads that can be taken are H - F within one (mean {:.2g}, deviation {:.2g}), "
                "{} prior, {}",
                counts.mean(), deviation(counts), s.prior, name(s.activation)),
            static_cast<int>(near), seeds, 0.5, context.seed);
        figure.statements.push_back({"About H - F heads can be pruned without significant loss.", our_reading(e)});
    }
    // Beyond H - F: the rise when F - 1 more heads go, relative to the loss before, and its spread over runs.
    const auto rise = [](const Series& s) { return Eigen::VectorXd(at(s, heads - 1) - at(s, heads - features)); };
    for (std::size_t p = 0; p < priors.size(); ++p)
        for (const std::size_t a : {1U, 2U}) {
            const Eigen::VectorXd own = rise(all[3 * p + a]), softmax = rise(all[3 * p]);
            figure.statements.push_back(
                {"Beyond H - F, softmax-1 and Bayes-softmax degrade more than softmax.",
                 at_least(Form::printed, "greedy pruning",
                          fmt::format(
                              "rise of the loss from 4 to 7 heads taken, {} ({:.3f}) minus softmax ({:.3f}), {} prior",
                              name(all_activations[a]), own.mean(), softmax.mean(), priors[p].first),
                          0,
                          {own.mean() - softmax.mean(), std::hypot(mean_of(own).error, mean_of(softmax).error),
                           ErrorKind::standard},
                          context.seed)});
            // A deviation of n runs has itself the standard error s / sqrt(2 (n - 1)).
            double larger = 0, variance = 0;
            for (int k = heads - features + 1; k < heads; ++k) {
                const double own_deviation = deviation(at(all[3 * p + a], k)), other = deviation(at(all[3 * p], k));
                larger += (own_deviation - other) / (features - 1);
                variance = std::max(variance, own_deviation * own_deviation + other * other);
            }
            const double error = std::sqrt(variance / (2.0 * (seeds - 1)));
            figure.statements.push_back(
                {"Beyond H - F, they vary more from run to run than softmax.",
                 at_least(
                     Form::printed, "greedy pruning",
                     fmt::format("mean standard deviation over runs beyond 4 heads taken, {} minus softmax, {} prior",
                                 name(all_activations[a]), priors[p].first),
                     0, {larger, error, ErrorKind::standard}, context.seed)});
        }
    return figure;
}

}  // namespace

std::vector<FigureMaker> pruning() {
    return {{7, "Loss after greedy pruning of eight heads, two priors", figure_7}};
}

}  // namespace lemmata::verify::figures
