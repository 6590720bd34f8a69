// Prop. IV.2: Bayes-softmax with one head per atom against the exact Bayes risk, for priors whose
// atoms differ in weight and norm, and for one whose atoms do not (where the printed bias is right).
#include "checks/checks.hpp"

#include <lemmata/bayes_risk.hpp>
#include <lemmata/expressivity.hpp>
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
            Estimate loss =
                loss_monte_carlo({Activation::bayes_softmax, tokens, prior}, heads_at_atoms(prior, bias), options).loss;
            loss.error += margin(risk) / 4;
            evidence.push_back(compare(form, "sobol against exact risk", fmt::format("loss minus risk, {}", label),
                                       risk.value, loss, 1e-3, context.seed));
        };
        add(Form::printed, AtomBias::printed);
        add(Form::corrected, AtomBias::corrected);
    }
    return evidence;
}

}  // namespace

std::vector<Check> prop_iv2() {
    return {{"prop-IV.2", {"sobol against exact risk"}, run}};
}

}  // namespace lemmata::verify::checks
