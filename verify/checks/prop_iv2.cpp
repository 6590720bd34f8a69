// Prop. IV.2: Bayes-softmax with one head per atom against the exact Bayes risk, for priors whose
// atoms differ in weight and norm, and for one whose atoms do not (where the printed bias is right). And
// the sentence after it: heads at the nodes of a rule for a continuous prior approach its Bayes risk.
#include "checks/checks.hpp"

#include <lemmata/bayes_risk.hpp>
#include <lemmata/expressivity.hpp>
#include <lemmata/gauss_hermite.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_monte_carlo.hpp>

#include <fmt/format.h>

namespace lemmata::verify::checks {
namespace {

struct Case {
    std::string name;
    Prior prior;
    std::int64_t tokens;
};

Component atom(double weight, const Eigen::VectorXd& at) {
    return {weight, at, Eigen::MatrixXd::Zero(at.size(), at.size())};
}

std::vector<Case> cases() {
    const auto number = [](double x) { return Eigen::VectorXd::Constant(1, x); };
    return {{"0.8 at 1.5, 0.2 at -0.7; L=5", Prior::mixture({atom(0.8, number(1.5)), atom(0.2, number(-0.7))}), 5},
            {"three atoms in the plane; L=3",
             Prior::mixture({atom(0.5, Eigen::Vector2d(1, 2)), atom(0.3, Eigen::Vector2d(-1, 0.5)),
                             atom(0.2, Eigen::Vector2d(0.3, -2))}),
             3},
            {"flipping spike nu=(2,2); L=4", Prior::flipping_spike(2, 2), 4}};
}

std::vector<Evidence> run(const Claim&, const Context& context) {
    MonteCarloOptions options;
    options.samples = context.tier == Tier::quick ? 1 << 18 : 1 << 20;
    options.sampling = Sampling::sobol;
    options.seed = context.seed;
    std::vector<Evidence> evidence;
    for (const auto& [label, prior, tokens] : cases()) {
        context.poll();
        const Estimate risk = bayes_risk(prior, tokens).risk;
        const auto add = [&](Form form, AtomBias bias) {
            const Problem problem{Activation::bayes_softmax, tokens, prior};
            const State state = heads_at_atoms(prior, bias);
            Estimate exact = loss_exact(problem, state).loss;
            exact.error += margin(risk);
            evidence.push_back(compare(form, "exact quadrature", fmt::format("loss against Bayes risk, {}", label),
                                       risk.value, exact, 1e-7));
            Estimate sampled = loss_monte_carlo(problem, state, options).loss;
            sampled.error += margin(risk) / 4;
            evidence.push_back(compare(form, "sobol", fmt::format("loss against Bayes risk, {}", label), risk.value,
                                       sampled, 1e-3, context.seed));
        };
        add(Form::printed, AtomBias::printed);
        add(Form::corrected, AtomBias::corrected);
    }
    return evidence;
}

std::vector<Evidence> discretised(const Claim&, const Context& context) {
    const double deviation = 2;
    const Problem problem{Activation::bayes_softmax, 5,
                          Prior::gaussian(Eigen::VectorXd::Constant(1, deviation * deviation))};
    const Estimate risk = bayes_risk(problem.prior, problem.tokens).risk;
    std::vector<Evidence> evidence;
    double before = 1;
    for (const int heads : {2, 4, 8, 16}) {
        context.poll();
        const QuadratureRule rule = gauss_hermite(heads);
        std::vector<Component> atoms;
        for (int i = 0; i < heads; ++i)
            atoms.push_back(atom(rule.weights[i], Eigen::VectorXd::Constant(1, deviation * rule.nodes[i])));
        const Estimate loss =
            loss_exact(problem, heads_at_atoms(Prior::mixture(atoms), AtomBias::corrected), {1e-8, false}).loss;
        const Estimate excess{loss.value - risk.value, margin(loss) + margin(risk)};
        evidence.push_back(
            at_most(Form::printed, "exact quadrature",
                    fmt::format("loss above the Bayes risk, theta ~ N(0, 4), L=5, H={}: half of the one before", heads),
                    0.5 * before, excess));
        before = excess.value;
    }
    evidence.push_back(at_most(Form::printed, "exact quadrature", "loss above the Bayes risk at H=16",
                               0.01 * risk.value, {before, 1e-7}));
    return evidence;
}

}  // namespace

std::vector<Check> prop_iv2() {
    return {{"prop-IV.2", {"exact quadrature", "sobol"}, run}, {"text/discretise", {"exact quadrature"}, discretised}};
}

}  // namespace lemmata::verify::checks
