// Lemma A.1: on the unspecialized manifold the gradient is tangent to it. Random points of the
// manifold, priors with skew; the part of the gradient that leaves the manifold is measured.
#include "checks/checks.hpp"

#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_monte_carlo.hpp>
#include <lemmata/random.hpp>

#include <fmt/format.h>

namespace lemmata::verify::checks {
namespace {

// The gradient minus its average over all permutations of the heads.
Gradient leaving_part(const Gradient& g) {
    const double heads = static_cast<double>(g.heads());
    Gradient average = g;
    average.m.rowwise() = g.m.colwise().mean();
    const double diagonal = g.r.trace() / heads;
    const double rest = (g.r.sum() - g.r.trace()) / (heads * (heads - 1));
    average.r.setConstant(rest);
    average.r.diagonal().setConstant(diagonal);
    average.b.setConstant(g.b.mean());
    return unflatten(flatten(g) - flatten(average), g.heads(), g.features());
}

std::vector<Evidence> run(const Claim&, const Context& context) {
    constexpr int heads = 3;
    Component wide{0.6, Eigen::Vector2d(0.8, -0.3), Eigen::Matrix2d::Identity()};
    const Prior prior = Prior::mixture({wide, {0.4, Eigen::Vector2d(-0.5, 1.2), Eigen::Matrix2d::Zero()}});
    std::vector<Evidence> evidence;
    for (const Activation activation : {Activation::softmax, Activation::softmax_1})
        for (std::uint64_t trial = 0; trial < 3; ++trial) {
            context.poll();
            Eigen::Matrix<double, 6, 1> z;
            fill_normal({z.data(), 6}, context.seed, Stream::search, 6 * trial);
            State state = zero_state(heads, 2);
            state.m.rowwise() = z.head<2>().transpose();
            state.r.setConstant(0.2 * z[2]);
            state.r.diagonal().array() += 0.5 + std::abs(z[3]);
            state.b.setConstant(z[4]);
            state.v = 1 + 0.3 * z[5];
            ExactOptions options;
            options.gradient = true;
            const LossEstimate on = loss_exact({activation, 4, prior}, state, options);
            const Eigen::VectorXd leaving = flatten(leaving_part(on.gradient->value)).cwiseAbs();
            Eigen::Index worst = 0;
            leaving.maxCoeff(&worst);
            const double error = 2 * flatten(on.gradient->error).cwiseAbs().maxCoeff();
            // Resolution: what leaves the manifold one step off it, at a first head moved by 0.1.
            State off = state;
            off.m(0, 0) += 0.1;
            const LossEstimate control = loss_exact({activation, 4, prior}, off, options);
            const double resolution = flatten(leaving_part(control.gradient->value)).cwiseAbs().maxCoeff() / 10;
            evidence.push_back(
                compare(Form::printed, "exact quadrature",
                        fmt::format("part of the gradient that leaves the manifold, {}, L=4, H=3, random "
                                    "point {}",
                                    name(activation), trial),
                        0, {leaving[worst], error, ErrorKind::bound}, resolution, context.seed));
        }
    return evidence;
}

}  // namespace

std::vector<Check> lemma_a1() {
    return {{"lemma-A.1", {"exact quadrature"}, run}};
}

}  // namespace lemmata::verify::checks
