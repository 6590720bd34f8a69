// Fig. 6: attention maps of the three activations after training, for five sequences.
#include "figures/figures.hpp"
#include "figures/limits.hpp"

#include <lemmata/samples.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata::verify::figures {
namespace {

constexpr std::int64_t tokens = 5;
constexpr int heads = 4;
constexpr int shown = 5;  // sequences

// What the heads give to irrelevant tokens, (1/H) sum over heads and irrelevant tokens of sigma.
double wasted(const Eigen::MatrixXd& sigma) {
    return (sigma.sum() - sigma.col(0).sum()) / heads;
}

Figure figure_6(const FigureContext& context) {
    const Prior prior = Prior::gaussian(Eigen::Vector3d::Constant(9));
    std::vector<FlowRun> runs;
    for (const Activation activation : all_activations)
        runs.push_back(trained(context, {activation, tokens, prior}, heads, first_seed(context)));
    const auto ends = limits(context, runs);
    const Samples samples(prior, tokens, heads, context.pick(4096, 65'536, 1 << 20), Sampling::plain, context.seed);
    Figure figure;
    figure.parameters = {{"H", heads}, {"L", tokens}, {"F", 3}, {"prior", "isotropic Gaussian, nu = 9"}, {"eta", 1}};
    figure.choices = {{"relevant token", "the first one, framed; tokens are exchangeable"},
                      {"drawn", "sigma_hl / H, what head h adds to token l"},
                      {"sequences", fmt::format("the first five of {}", samples.count())}};
    figure.chart.columns = 1;
    figure.chart.panel_height = 210;
    std::vector<Panel> panels;
    for (const Activation activation : all_activations) {
        Panel panel{std::string(name(activation)), "token, sequence after sequence", "head"};
        panel.curves = {{"sigma / H", {}, 0, Mark::cells}};
        panel.extra = {"set palette defined (0 '#ffffff', 0.5 '#56B4E9', 1 '#08306b')",
                       "set cbrange [0:*]",
                       "unset grid",
                       "set yrange [0.4:4.6]",
                       "set xrange [0.4:29.6]",
                       "set ytics 1,1,4",
                       "unset xtics"};
        for (int s = 0; s < shown; ++s)
            panel.extra.push_back(fmt::format(
                "set object rectangle from {},0.5 to {},4.5 front fillstyle empty border rgb '#D55E00' lw 2",
                6 * s + 0.5, 6 * s + 1.5));
        panels.push_back(panel);
    }
    // Sums of the differences between neighbours in the list of activations, on the same sequences.
    std::array<double, 2> sum{}, squares{};
    std::array<double, 3> mean{};
    Eigen::MatrixXd tile;
    for (std::int64_t t = 0; t < samples.tiles(); ++t) {
        context.poll();
        samples.draw(t, tile);
        for (int i = 0; i < tile_width; ++i) {
            Eigen::MatrixXd x(tokens, tile.cols());
            for (int l = 0; l < tokens; ++l) x.row(l) = tile.row(tile_width * l + i);
            std::array<double, 3> waste{};
            for (std::size_t a = 0; a < 3; ++a) {
                const State& s = ends[a].state;
                const Eigen::MatrixXd chi = s.m * x.leftCols(3).transpose() + s.r * x.rightCols(heads).transpose();
                const Eigen::MatrixXd sigma = attend(all_activations[a], chi, s.b, s.v);
                waste[a] = wasted(sigma);
                mean[a] += waste[a] / static_cast<double>(samples.count());
                if (t == 0 && i < shown)
                    for (int h = 0; h < heads; ++h) {
                        for (int l = 0; l < tokens; ++l)
                            panels[a].curves[0].points.push_back({6.0 * i + l + 1, h + 1.0, sigma(h, l) / heads});
                        // An empty column between sequences keeps the map a full grid.
                        if (i + 1 < shown) panels[a].curves[0].points.push_back({6.0 * i + 6, h + 1.0, 0});
                    }
            }
            for (std::size_t d = 0; d < 2; ++d) {
                sum[d] += waste[d] - waste[d + 1];
                squares[d] += (waste[d] - waste[d + 1]) * (waste[d] - waste[d + 1]);
            }
        }
    }
    figure.chart.panels = panels;
    const auto n = static_cast<double>(samples.count());
    for (std::size_t d = 0; d < 2; ++d) {
        const double difference = sum[d] / n, error = std::sqrt((squares[d] / n - difference * difference) / n);
        figure.statements.push_back(
            {d == 0 ? "Softmax is noisy: heads not on the relevant token attend to irrelevant ones; softmax-1 reduces "
                      "that."
                    : "Bayes-softmax reduces attention to irrelevant tokens even more than softmax-1.",
             at_least(Form::printed, "monte-carlo",
                      fmt::format("mean attention to irrelevant tokens, {} ({:.4f}) minus {} ({:.4f})",
                                  name(all_activations[d]), mean[d], name(all_activations[d + 1]), mean[d + 1]),
                      0, {difference, error, ErrorKind::standard}, context.seed)});
    }
    return figure;
}

}  // namespace

std::vector<FigureMaker> maps() {
    return {{6, "Attention maps of the three activations after training, five sequences", figure_6}};
}

}  // namespace lemmata::verify::figures
