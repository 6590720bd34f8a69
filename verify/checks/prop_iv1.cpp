// Prop. IV.1: the posterior of the relevant token, by completing the square in GiNaC; its risk by two
// integrals and by sampling; and that no attention does better, attacked.
#include "checks/checks.hpp"

#include <lemmata/bayes_risk.hpp>
#include <lemmata/bayes_risk_monte_carlo.hpp>
#include <lemmata/expressivity.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/symbolic/bayes_posterior.hpp>
#include <lemmata/symbolic/printer.hpp>
#include <lemmata/verify/falsifier.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata::verify::checks {
namespace {

Evidence identity(Form form, const std::string& quantity, const symbolic::Equality& equality) {
    Evidence e;
    e.form = form;
    e.method = "symbolic";
    e.quantity = equality.witness.empty() ? quantity : quantity + " at " + symbolic::print(equality.witness);
    e.expected = "0";
    e.measured = equality.truth == symbolic::Truth::yes ? "0" : "not 0";
    e.outcome = equality.truth == symbolic::Truth::yes
                    ? Outcome::holds
                    : (equality.truth == symbolic::Truth::no ? Outcome::violated : Outcome::undecided);
    e.proof = e.outcome == Outcome::holds;
    return e;
}

// With the Gram matrix p in place all four identities hold; p = I then gives the printed formula.
std::vector<Evidence> in_the_limit(const Claim&, const Context&) {
    const auto d = symbolic::derive_posterior();
    return {identity(Form::printed, "log-likelihood ratio minus (theta.t - theta' p theta/2)", d.likelihood),
            identity(Form::printed, "completed square minus the exponent", d.square),
            identity(Form::printed, "exponent minus that of the ratio of densities", d.exponent),
            identity(Form::printed, "normalisation minus that of the ratio of densities", d.determinant)};
}

std::vector<Evidence> at_finite_dimension(const Claim&, const Context&) {
    const auto d = symbolic::derive_posterior();
    return {identity(Form::printed, "log-likelihood ratio minus (theta.t - |theta|^2/2)", d.printed),
            identity(Form::corrected, "log-likelihood ratio minus (theta.t - theta' p theta/2)", d.likelihood)};
}

// The posterior is calibrated: E P_eps = E sum_l P_l^2, so the two ways to write its risk agree; so do samples.
std::vector<Evidence> calibrated(const Claim&, const Context& context) {
    const Component wide{0.6, Eigen::Vector2d(1.2, -0.3), Eigen::Matrix2d::Identity()};
    const Prior mixed = Prior::mixture({wide, {0.4, Eigen::Vector2d(-0.5, 1.5), Eigen::Matrix2d::Zero()}});
    std::vector<Evidence> evidence;
    for (const auto& [label, prior] : {std::pair("flipping spike nu=(2, 2)", Prior::flipping_spike(2, 2)),
                                       std::pair("theta ~ N(0, diag(8, 2))", Prior::gaussian(Eigen::Vector2d(8, 2))),
                                       std::pair("a mixture", mixed)}) {
        context.poll();
        const RiskEstimate exact = bayes_risk(prior, 5);
        const Estimate squared{exact.squared.value, margin(exact.squared) + margin(exact.risk)};
        evidence.push_back(compare(Form::printed, "exact quadrature",
                                   fmt::format("E sum_l (delta - P_l)^2 against 1 - E P_eps, {}, L=5", label),
                                   exact.risk.value, squared, 1e-6));
        Estimate sampled =
            bayes_risk_monte_carlo(prior, 5, context.tier == Tier::quick ? 200'000 : 1'000'000, 90 + context.seed)
                .squared;
        sampled.error += margin(exact.risk) / 4;
        evidence.push_back(compare(Form::printed, "monte-carlo", fmt::format("the same, sampled, {}, L=5", label),
                                   exact.risk.value, sampled, 0.02 * exact.risk.value, context.seed));
    }
    return evidence;
}

std::vector<Evidence> optimal(const Claim&, const Context& context) {
    Hunt hunt;
    hunt.conform = [](ModelCase c) -> std::optional<ModelCase> {
        if (c.state.features() > 2) return std::nullopt;  // risks by lattice: milliseconds
        return c;
    };
    hunt.violation = [](const ModelCase& c) -> Violation {
        const Estimate risk = bayes_risk(c.problem.prior, c.problem.tokens, {RiskMethod::automatic, 1e-6}).risk;
        const Estimate loss = loss_exact(c.problem, c.state, {1e-6, false}).loss;
        return {risk.value - loss.value, margin(risk) + margin(loss), risk.value};
    };
    hunt.draws = context.tier == Tier::quick ? 60 : 300;
    hunt.climbs = context.tier == Tier::quick ? 30 : 200;
    std::vector<Evidence> evidence{attack(Form::printed, "Bayes risk minus loss", hunt, context)};
    // That the attack could succeed: the bound is reached, by Bayes-softmax at the atoms.
    const Prior atoms = Prior::flipping_spike(2, 1);
    const double gap =
        loss_exact({Activation::bayes_softmax, 5, atoms}, heads_at_atoms(atoms, AtomBias::corrected)).loss.value -
        bayes_risk(atoms, 5).risk.value;
    evidence.push_back(at_most(Form::printed, "exact quadrature", "smallest loss above the Bayes risk, flipping spike",
                               1e-6, {std::abs(gap), 1e-8}));
    return evidence;
}

// The Bayes risk as defined in Sec. IV, without the 1/D of eq. (7), against the loss it is compared with.
std::vector<Evidence> normalisation(const Claim&, const Context& context) {
    constexpr int dimension = 100;
    const Prior prior = Prior::flipping_spike(2, 2);
    const FiniteDimensionRisk at = bayes_risk_at_dimension(prior, 5, dimension, 20'000, 95 + context.seed);
    const double reached =
        loss_exact({Activation::bayes_softmax, 5, prior}, heads_at_atoms(prior, AtomBias::corrected)).loss.value;
    const double finite = std::abs(at.excess.value) + margin(at.excess);  // what D = 100 changes
    const auto risk = [&](double factor) {
        return Estimate{factor * at.loss.value, factor * (margin(at.loss) + finite)};
    };
    const std::string setting =
        "of the Bayes estimator, D=100, L=5, flipping spike nu=(2, 2), against Bayes-softmax's loss";
    return {compare(Form::printed, "sequences in D dimensions", "E |y - yhat|^2 " + setting, reached, risk(dimension),
                    0.1 * reached * dimension, context.seed),
            compare(Form::corrected, "sequences in D dimensions", "E |y - yhat|^2 / D " + setting, reached, risk(1),
                    0.1 * reached, context.seed)};
}

}  // namespace

std::vector<Check> prop_iv1() {
    return {{"prop-IV.1", {"symbolic"}, in_the_limit},
            {"prop-IV.1", {"exact quadrature", "monte-carlo"}, calibrated},
            {"prop-IV.1/finite-D", {"symbolic"}, at_finite_dimension},
            {"prop-IV.1/optimal", {"counterexample search", "exact quadrature"}, optimal},
            {"text/bayes-risk-definition", {"sequences in D dimensions", "exact quadrature"}, normalisation}};
}

}  // namespace lemmata::verify::checks
