// Lemma A.2: the gradient in m on the unspecialized manifold, eqs. (22)-(31). Its formulas at
// r = 0 are checked symbolically in appendix_a2.cpp; here are the statements for every r:
//   eq. (23)       the loss itself: quadrature against samples of the formula as written;
//   eq. (22)       is the gradient along E theta? Attacked over all priors.
//   c^(1) > 0      at m = 0, b = 0, v = 1 for every r: the four pointwise signs (30)-(31), proved in
//                  the weights, make every term of the average positive; and measured.
#include "checks/checks.hpp"

#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_monte_carlo.hpp>
#include <lemmata/symbolic/pointwise.hpp>
#include <lemmata/symbolic/printed.hpp>
#include <lemmata/symbolic/printer.hpp>
#include <lemmata/verify/falsifier.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata::verify::checks {
namespace {

LossEstimate with_gradient(const ModelCase& c) {
    ExactOptions options;
    options.gradient = true;
    return loss_exact(c.problem, c.state, options);
}

// Equal heads, r = (1 - t) s I + t s 11'/H with the sizes taken from the case, equal biases.
void make_unspecialized(State& state) {
    const Eigen::Index heads = state.heads();
    const double size = state.r.norm(), share = heads > 1 ? 0.3 : 0.0;
    state.m.rowwise() = state.m.row(0).eval();
    state.r = Eigen::MatrixXd::Constant(heads, heads, share * size / static_cast<double>(heads));
    state.r.diagonal().array() += (1 - share) * size;
    state.b.setConstant(state.b[0]);
}

// The claim's setting: m_h = x E theta on the manifold; x from the case.
std::optional<ModelCase> along_the_mean(ModelCase c) {
    const Eigen::VectorXd mean = c.problem.prior.mean();
    if (mean.norm() < 0.05) return std::nullopt;
    const double x = c.state.m(0, 0);
    make_unspecialized(c.state);
    c.state.m.rowwise() = x * mean.transpose();
    return c;
}

// The largest part of a head's gradient that is not along E theta.
Violation off_the_mean(const ModelCase& c) {
    const LossEstimate estimate = with_gradient(c);
    const Eigen::VectorXd direction = c.problem.prior.mean().normalized();
    const Eigen::MatrixXd& g = estimate.gradient->value.m;
    const Eigen::MatrixXd off = g - g * direction * direction.transpose();
    const double factor = estimate.loss.kind == ErrorKind::bound ? 1 : 4;
    return {off.rowwise().norm().maxCoeff(), factor * estimate.gradient->error.m.norm(), g.rowwise().norm().maxCoeff()};
}

// A prior for which w.theta has mean zero given E theta.theta, for every w orthogonal to E theta:
// the case's prior averaged with its reflection in the line of E theta.
std::optional<ModelCase> reflected(ModelCase c) {
    const Eigen::VectorXd mean = c.problem.prior.mean();
    if (mean.norm() < 0.05) return std::nullopt;
    const Eigen::VectorXd e = mean.normalized();
    const Eigen::MatrixXd mirror = 2 * e * e.transpose() - Eigen::MatrixXd::Identity(e.size(), e.size());
    std::vector<Component> both;
    for (const auto& component : c.problem.prior.components()) {
        const double half = component.weight / 2;
        both.push_back({half, component.mean, component.covariance});
        both.push_back({half, mirror * component.mean, mirror * component.covariance * mirror});
    }
    c.problem.prior = Prior::mixture(both);
    return along_the_mean(std::move(c));
}

std::vector<Evidence> along_mean(const Claim&, const Context& context) {
    Hunt hunt;
    hunt.conform = along_the_mean;
    hunt.violation = off_the_mean;
    hunt.draws = context.tier == Tier::quick ? 120 : 600;
    hunt.notice = 0.01;
    Hunt mended = hunt;
    mended.conform = reflected;
    return {attack(Form::printed, "part of a head's gradient in m that is not along E theta", hunt, context),
            attack(Form::corrected, "part of a head's gradient in m that is not along E theta", mended, context)};
}

std::vector<Evidence> pointwise(const std::string& activation, std::size_t first) {
    const auto signs = symbolic::pointwise_gradient_signs(symbolic::printed_activation(activation));
    std::vector<Evidence> evidence;
    for (std::size_t i = first; i < first + 2; ++i) {
        const auto& sign = signs.at(i);
        Evidence e;
        e.method = "symbolic";
        e.quantity = sign.statement;
        e.expected = std::string(symbolic::name(sign.claimed));
        e.measured = std::string(symbolic::name(sign.certificate.sign));
        const bool shown = sign.certificate.sign == sign.claimed && recheck(sign.certificate);
        e.outcome = shown ? Outcome::holds : Outcome::undecided;
        e.proof = shown;
        evidence.push_back(e);
    }
    return evidence;
}

// c^(1)(0, r, 0, 1) from the exact gradient; positive for every r by the pointwise signs.
std::vector<Evidence> positive(const std::string& activation, const Context& context) {
    std::vector<Evidence> evidence;
    for (const std::size_t first : {0U, 2U})
        for (auto& e : pointwise(activation, first)) evidence.push_back(e);
    Hunt hunt;
    const Activation wanted = activation_from_name(activation);
    hunt.conform = [wanted](ModelCase c) -> std::optional<ModelCase> {
        if (c.problem.activation != wanted || c.problem.prior.mean().norm() < 0.05) return std::nullopt;
        make_unspecialized(c.state);
        c.state.m.setZero();
        c.state.b.setZero();
        c.state.v = 1;
        return c;
    };
    hunt.violation = [](const ModelCase& c) -> Violation {
        const LossEstimate estimate = with_gradient(c);
        const Eigen::VectorXd mean = c.problem.prior.mean();
        const Eigen::VectorXd constants = -estimate.gradient->value.m * mean / mean.squaredNorm();
        const double factor = estimate.loss.kind == ErrorKind::bound ? 1 : 4;
        const double error = factor * estimate.gradient->error.m.norm() / mean.norm();
        return {-constants.minCoeff(), error, constants.cwiseAbs().maxCoeff()};
    };
    hunt.draws = context.tier == Tier::quick ? 90 : 300;
    evidence.push_back(attack(Form::printed, "-c^(1)(0, r, 0, 1)", hunt, context));
    return evidence;
}

std::vector<Evidence> loss_as_written(const Claim&, const Context& context) {
    MonteCarloOptions options;
    options.samples = context.tier == Tier::quick ? 1 << 17 : 1 << 20;
    options.sampling = Sampling::sobol;
    std::vector<Evidence> evidence;
    for (std::uint64_t trial = 0; trial < 9; ++trial) {
        context.poll();
        options.seed = context.seed + trial;
        const ModelCase c = draw_case(100 + context.seed, trial);
        const Estimate exact = loss_exact(c.problem, c.state).loss;
        Estimate sampled = loss_monte_carlo(c.problem, c.state, options).loss;
        sampled.error += margin(exact) / 4;
        evidence.push_back(compare(Form::printed, "exact quadrature against sobol", "loss at " + describe(c),
                                   exact.value, sampled, 0.01 * exact.value, options.seed));
    }
    return evidence;
}

}  // namespace

std::vector<Check> lemma_a2() {
    std::vector<Check> checks{{"lemma-A.2/eq-23", {"exact quadrature", "sobol"}, loss_as_written},
                              {"lemma-A.2/along-mean", {"counterexample search"}, along_mean}};
    for (const Activation a : all_activations) {
        const std::string activation(name(a));
        const auto signs = [activation](std::size_t first) {
            return [activation, first](const Claim&, const Context&) { return pointwise(activation, first); };
        };
        checks.push_back({"lemma-A.2/eq-30/" + activation, {"symbolic"}, signs(0)});
        checks.push_back({"lemma-A.2/eq-31/" + activation, {"symbolic"}, signs(2)});
        checks.push_back(
            {"lemma-A.2/c-positive-any-r/" + activation,
             {"symbolic", "counterexample search"},
             [activation](const Claim&, const Context& context) { return positive(activation, context); }});
    }
    return checks;
}

}  // namespace lemmata::verify::checks
