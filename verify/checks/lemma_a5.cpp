// Lemmas III.1 and A.5: the loss to second order about m = r = 0. The constants and formulas are proved
// or refuted symbolically in appendix_a2.cpp; here the exact loss is differentiated numerically, which
// knows nothing of expansions:
//   eq-13          curvatures along random m orthogonal to E theta, against the quadratic form;
//   remainder      the order at which the loss leaves it, for a skewed prior and for a symmetric one;
//   mixed-blocks   no second derivatives between r and m, r and b, m and b;
//   eq-56, eq-57   the Hessian in the biases, against the printed expressions.
#include "checks/checks.hpp"
#include "checks/expression.hpp"

#include <lemmata/hessian.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/random.hpp>
#include <lemmata/symbolic/constants.hpp>
#include <lemmata/symbolic/printed.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata::verify::checks {
namespace {

// c_1^(2) .. c_4^(2) of an activation at numbers.
struct QuadraticForm {
    double c1, c2, c3, c4;
};
QuadraticForm quadratic_form(Activation activation, int tokens, int heads, double B) {
    symbolic::ScoreDerivatives derivatives(symbolic::printed_activation(std::string(name(activation))));
    const auto list = symbolic::constants(derivatives, {2});
    const auto& s = derivatives.symbols();
    const auto value = [&](const char* key) {
        const GiNaC::ex at =
            symbolic::find_constant(list, key).value.subs(GiNaC::lst{s.L == tokens, s.H == heads, s.B == B});
        return GiNaC::ex_to<GiNaC::numeric>(at.evalf()).to_double();
    };
    return {value("c_1^(2)"), value("c_2^(2)"), value("c_3^(2)"), value("c_4^(2)")};
}

double value_at(const QuadraticForm& c, const Eigen::MatrixXd& m, const Eigen::MatrixXd& covariance) {
    const Eigen::VectorXd sum = m.colwise().sum();
    return c.c1 * sum.squaredNorm() + (c.c2 + c.c4) * sum.dot(covariance * sum) -
           (c.c3 + c.c4) * (m * covariance * m.transpose()).trace();
}

constexpr int tokens = 4, heads = 2;
constexpr double bias = 0.4;

// Unspecialized, softmax-1 on its line.
State unspecialized(Activation activation, int features) {
    State state = state_at(Eigen::MatrixXd::Zero(heads, features));
    if (uses_bias(activation)) state.b.setConstant(bias);
    if (uses_scale(activation)) state.v = (tokens + std::exp(bias)) / tokens;
    return state;
}

// E theta along the first axis; correlated across it.
Prior correlated() {
    Eigen::Matrix3d covariance;
    covariance << 1, 0.3, -0.2, 0.3, 2, 0.7, -0.2, 0.7, 1.2;
    return Prior::mixture({{1, Eigen::Vector3d(0.6, 0, 0), covariance}});
}

std::vector<Evidence> curvatures(Activation activation, const Context& context) {
    const Prior prior = correlated();
    const QuadraticForm c = quadratic_form(activation, tokens, heads, std::exp(bias));
    const HessianEstimate h = hessian({activation, tokens, prior}, unspecialized(activation, 3));
    std::vector<Evidence> evidence;
    for (std::uint64_t trial = 0; trial < 6; ++trial) {
        Eigen::MatrixXd m = Eigen::MatrixXd::Zero(heads, 3);
        fill_normal({m.data() + heads, 2 * heads}, context.seed, Stream::search, 10 * trial);
        const Eigen::VectorXd u = m.reshaped();
        const Eigen::Index n = u.size();
        const double measured = u.dot(h.value.topLeftCorner(n, n) * u) / 2;
        const double error = u.cwiseAbs().dot(h.error.topLeftCorner(n, n) * u.cwiseAbs()) / 2;
        const double size = c.c1 * u.squaredNorm();
        evidence.push_back(
            compare(Form::printed, "Hessian of the exact loss",
                    fmt::format("quadratic form at a random m (number {}), {}, L=4, H=2, F=3", trial, name(activation)),
                    value_at(c, m, prior.covariance()), {measured, error + 1e-9 * size}, 0.001 * size, context.seed));
    }
    return evidence;
}

// The order p of E(t m) - E(0) - t^2 Q ~ t^p, from t, t/2 and t/4; two estimates of it tell its error.
Estimate remainder_order(const Problem& problem, const Eigen::MatrixXd& m, const QuadraticForm& c) {
    const auto loss = [&](double t) {
        State state = unspecialized(problem.activation, static_cast<int>(m.cols()));
        state.m = t * m;
        return loss_exact(problem, state, {1e-12, false}).loss.value;
    };
    const double origin = loss(0), Q = value_at(c, m, problem.prior.covariance());
    const auto remainder = [&](double t) { return std::abs(loss(t) - origin - t * t * Q); };
    const double t = 0.2, coarse = std::log2(remainder(t) / remainder(t / 2)),
                 fine = std::log2(remainder(t / 2) / remainder(t / 4));
    return {2 * fine - coarse, std::abs(fine - coarse) + 0.02};  // linear in t, extrapolated
}

std::vector<Evidence> remainder(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
    const auto at = [](double x) { return Eigen::VectorXd::Constant(1, x); };
    const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(1, 1);
    const Prior skewed = Prior::mixture({{0.2, at(2), none}, {0.8, at(-0.5), none}});
    const Prior even = Prior::mixture({{0.5, at(1), none}, {0.5, at(-1), none}});
    for (const Activation activation : {Activation::softmax, Activation::softmax_1}) {
        context.poll();
        const QuadraticForm c = quadratic_form(activation, tokens, heads, std::exp(bias));
        const Eigen::MatrixXd m = (Eigen::MatrixXd(2, 1) << 1, 0.3).finished();
        const Estimate order = remainder_order({activation, tokens, skewed}, m, c);
        const std::string quantity = fmt::format(
            "order of the remainder in m, {}, L=4, H=2, centred theta: 0.2 at 2, 0.8 at -0.5", name(activation));
        evidence.push_back(at_least(Form::printed, "exact quadrature", quantity, 4 - 0.3, order));
        evidence.push_back(
            compare(Form::corrected, "exact quadrature", quantity, 3, {order.value, order.error + 0.05}, 0.3));
        evidence.push_back(at_least(Form::corrected, "exact quadrature",
                                    fmt::format("the same for theta = +-1, {}", name(activation)), 4 - 0.3,
                                    remainder_order({activation, tokens, even}, m, c)));
    }
    return evidence;
}

std::vector<Evidence> mixed_blocks(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    for (const Activation activation : all_activations) {
        context.poll();
        const HessianEstimate h = hessian({activation, tokens, correlated()}, unspecialized(activation, 3));
        const Eigen::Index m = heads * 3, r = heads * heads;
        const double scale = h.value.topLeftCorner(m, m).cwiseAbs().maxCoeff();
        const auto block = [&](const char* what, Eigen::Index i, Eigen::Index rows, Eigen::Index j,
                               Eigen::Index columns) {
            const double largest = h.value.block(i, j, rows, columns).cwiseAbs().maxCoeff();
            const double error = h.error.block(i, j, rows, columns).maxCoeff();
            return compare(Form::printed, "Hessian of the exact loss",
                           fmt::format("largest second derivative in {}, {}, L=4, H=2, F=3", what, name(activation)), 0,
                           {largest, error + 1e-9 * scale}, 0.001 * scale);
        };
        evidence.push_back(block("r and m", m, r, 0, m));
        if (uses_bias(activation)) {
            evidence.push_back(block("r and b", m, r, m + r, heads));
            evidence.push_back(block("b and m across E theta", m + r, heads, heads, m - heads));
        }
    }
    return evidence;
}

// Eqs. (56) and (57): at m = r = 0 the loss is one number; its Hessian in the biases.
std::vector<Evidence> biases(Activation activation, const Claim& claim, const Context& context) {
    std::vector<Evidence> evidence;
    for (const int L : {3, 6}) {
        context.poll();
        State state = state_at(Eigen::MatrixXd::Zero(heads, 1));
        state.b.setConstant(bias);
        const double B = std::exp(bias);
        if (uses_scale(activation)) state.v = (L + B) / L;
        const HessianEstimate h = hessian({activation, L, Prior::spike(1)}, state);
        const Eigen::Index first = heads + heads * heads;
        const double scale = h.value.topLeftCorner(heads, heads).cwiseAbs().maxCoeff();
        for (const Eigen::Index other : {0, 1})
            evidence.push_back(
                compare(Form::printed, "Hessian of the exact loss",
                        fmt::format("second derivative in b_1, b_{}, {}, L={}, H=2, b={}", other + 1, name(activation),
                                    L, bias),
                        evaluate(claim.expression, {{"L", L}, {"H", heads}, {"B", B}, {"v", state.v}}, claim.id),
                        {h.value(first, first + other), h.error(first, first + other) + 1e-9 * scale}, 0.001 * scale));
    }
    return evidence;
}

}  // namespace

std::vector<Check> lemma_a5() {
    const std::string method = "Hessian of the exact loss";
    const auto bias_check = [&](const char* id, Activation activation) {
        return Check{
            id,
            {method},
            [activation](const Claim& claim, const Context& context) { return biases(activation, claim, context); },
            true};
    };
    std::vector<Check> checks{{"lemma-III.1/remainder", {"exact quadrature"}, remainder},
                              {"lemma-A.5/mixed-blocks", {method}, mixed_blocks},
                              bias_check("lemma-A.5/eq-56", Activation::softmax_1),
                              bias_check("lemma-A.5/eq-57", Activation::bayes_softmax)};
    for (const Activation activation : all_activations)
        checks.push_back(
            {fmt::format("lemma-III.1/eq-13/{}", name(activation)),
             {method},
             [activation](const Claim&, const Context& context) { return curvatures(activation, context); }});
    return checks;
}

}  // namespace lemmata::verify::checks
