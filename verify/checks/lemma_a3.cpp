// Lemma A.3: the gradient of the loss in r vanishes at r = 0.
//
// Attacked with the exact gradient. And independently: random states with r = 0 and priors with a mean
// and a spread, all activations; the gradient is sampled. That sampling would see a gradient that does not vanish is
// part of the evidence: at r = I/2 it must be far from zero, or the check could not fail.
#include "checks/checks.hpp"

#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_monte_carlo.hpp>
#include <lemmata/verify/falsifier.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata::verify::checks {
namespace {

// The entry of the gradient in r that is the most standard errors away from zero.
Estimate most_significant(const GradientEstimate& gradient) {
    const Eigen::ArrayXXd significance = gradient.value.r.array().abs() / gradient.error.r.array().max(1e-300);
    Eigen::Index row = 0, column = 0;
    significance.maxCoeff(&row, &column);
    return {gradient.value.r(row, column), gradient.error.r(row, column), ErrorKind::standard};
}

std::vector<Evidence> run(const Claim&, const Context& context) {
    constexpr int heads = 3;
    Component wide{0.6, Eigen::Vector2d(0.8, -0.3), Eigen::Matrix2d::Identity()};
    const Prior prior = Prior::mixture({wide, {0.4, Eigen::Vector2d(-0.5, 1.2), Eigen::Matrix2d::Zero()}});
    MonteCarloOptions options;
    options.samples = context.tier == Tier::quick ? 1 << 18 : 1 << 21;
    options.sampling = Sampling::sobol;
    options.gradient = true;
    std::vector<Evidence> evidence;
    for (const Activation activation : all_activations)
        for (std::uint64_t trial = 0; trial < 3; ++trial) {
            context.poll();
            options.seed = context.seed + trial;
            State state = random_state(heads, 2, 0, 1, options.seed);
            state.b << 0.4, -0.3, 0.1;
            state.v = 1.3;
            const Problem problem{activation, 4, prior};
            state.r = Eigen::MatrixXd::Identity(heads, heads) / 2;
            const Estimate control = most_significant(*loss_monte_carlo(problem, state, options).gradient);
            state.r.setZero();
            const Estimate entry = most_significant(*loss_monte_carlo(problem, state, options).gradient);
            // Resolution: a tenth of what a gradient that does not vanish looks like. Nine entries
            // in nine comparisons exceed four standard errors with probability 5e-3.
            evidence.push_back(compare(Form::printed, "sobol",
                                       fmt::format("largest entry of grad_r, {}, L=4, H=3, random m (seed {})",
                                                   name(activation), options.seed),
                                       0, entry, std::abs(control.value) / 10, options.seed));
        }
    Hunt hunt;
    hunt.conform = [](ModelCase c) {
        c.state.r.setZero();
        return std::optional(std::move(c));
    };
    hunt.violation = [](const ModelCase& c) -> Violation {
        ExactOptions exact;
        exact.gradient = true;
        const LossEstimate at = loss_exact(c.problem, c.state, exact);
        ModelCase off = c;  // scale: the gradient at r = I/4
        off.state.r.diagonal().setConstant(0.25);
        const double scale = loss_exact(off.problem, off.state, exact).gradient->value.r.norm();
        const double factor = at.loss.kind == ErrorKind::bound ? 1 : 4;
        return {at.gradient->value.r.norm(), factor * at.gradient->error.r.norm(), scale};
    };
    evidence.push_back(attack(Form::printed, "|gradient in r| at r = 0", hunt, context));
    return evidence;
}

}  // namespace

std::vector<Check> lemma_a3() {
    return {{"lemma-A.3", {"sobol", "counterexample search"}, run}};
}

}  // namespace lemmata::verify::checks
