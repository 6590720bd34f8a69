// Prop. IV.3: what softmax cannot express, and what softmax-1 can, as the signal grows.
//
// Softmax. For priors that are not restricted to a half-space there is a bound (expressivity.hpp); it is
// attacked at random states. The condition printed after "i.e." (S disjoint from -S, both of positive
// probability) is met by two atoms in a half-space: take S = {theta_1, -theta_2}. Heads along their sum
// then drive the loss to zero, so no bound can hold for all strengths.
#include "checks/checks.hpp"

#include <lemmata/expressivity.hpp>
#include <lemmata/fit.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/random.hpp>
#include <lemmata/verify/falsifier.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata::verify::checks {
namespace {

constexpr std::int64_t tokens = 5;

Prior two_atoms(double strength, bool symmetric) {
    const double s = std::sqrt(strength);
    const Eigen::Vector2d second = symmetric ? Eigen::Vector2d(-s, -s) : Eigen::Vector2d(s, -s);
    const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(2, 2);
    return Prior::mixture({{0.5, Eigen::Vector2d(s, s), zero}, {0.5, second, zero}});
}

double softmax_loss(const Prior& prior, const State& state) {
    return loss_exact({Activation::softmax, tokens, prior}, state).loss.value;
}

Evidence bounded_below(Form form, const std::string& quantity, double floor, double loss, double error,
                       std::optional<std::uint64_t> seed = std::nullopt) {
    Evidence e;
    e.form = form;
    e.method = "exact quadrature";
    e.quantity = quantity;
    e.expected = fmt::format(">= {:.6g}", floor);
    e.measured = loss;
    e.error = error;
    e.tolerance = error;
    e.outcome = loss >= floor - error ? Outcome::holds : Outcome::violated;
    e.seed = seed;
    return e;
}

// The bound for priors that are not restricted to a half-space, attacked.
std::vector<Evidence> bounded(Form form, const Context& context) {
    std::vector<Evidence> evidence;
    // Random states at a symmetric prior of growing strength.
    const int attacks = context.tier == Tier::quick ? 20 : 200;
    double lowest = 1;
    for (int attack = 0; attack < attacks; ++attack) {
        context.poll();
        Eigen::Matrix<double, 5, 1> z;
        fill_normal({z.data(), 5}, context.seed, Stream::search, static_cast<std::uint64_t>(5 * attack));
        const double strength = std::pow(10.0, 2 + z[0]);
        Eigen::MatrixXd m(2, 2);
        m << z[1], z[2], z[3], z[4];
        lowest = std::min(lowest, softmax_loss(two_atoms(strength, true), state_at(m)));
        // The sharp family: opposed heads, weak slope against a strong signal.
        const State opposed = opposed_heads(Eigen::Vector2d(1, 1).normalized(), 4 / std::sqrt(strength), 2, 1);
        lowest = std::min(lowest, softmax_loss(two_atoms(strength * strength, true), opposed));
    }
    const double floor = softmax_floor(two_atoms(1, true), tokens);
    evidence.push_back(bounded_below(form,
                                     fmt::format("lowest loss of {} attacks on a symmetric prior, L=5", 2 * attacks),
                                     floor, lowest, 1e-9, context.seed));
    // That the attack is any good: it must come within 10% of the bound it cannot break.
    Evidence sharp = bounded_below(form, "the attack reaches 1.1 times the bound", 0, 1.1 * floor - lowest, 0);
    sharp.outcome = lowest <= 1.1 * floor ? Outcome::holds : Outcome::undecided;
    evidence.push_back(sharp);
    // And any prior at all against its own bound.
    Hunt hunt;
    hunt.conform = [](ModelCase c) -> std::optional<ModelCase> {
        if (c.problem.activation != Activation::softmax) return std::nullopt;
        if (!(softmax_floor(c.problem.prior, c.problem.tokens) > 1e-6)) return std::nullopt;
        return c;
    };
    hunt.violation = [](const ModelCase& c) -> Violation {
        const double bound = softmax_floor(c.problem.prior, c.problem.tokens);
        const Estimate loss = loss_exact(c.problem, c.state).loss;
        return {bound - loss.value, margin(loss), bound};
    };
    hunt.draws = context.tier == Tier::quick ? 200 : 1000;
    evidence.push_back(attack(form, "bound minus loss", hunt, context));
    return evidence;
}

// The condition after "i.e.", met inside a half-space: were there a bound c > 0 for the two atoms at any strength, the
// loss could not fall below a thousandth of its value at strength 1. Heads along the first axis, both the same.
std::vector<Evidence> inside_half_space(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    const auto aligned = [](double strength) {
        return state_at(Eigen::MatrixXd::Constant(2, 1, 2 * std::log(strength + 1)) * Eigen::RowVector2d(1, 0));
    };
    const double weak = softmax_loss(two_atoms(1, false), aligned(1));
    for (const double strength : {100.0, 1000.0, 10000.0})
        evidence.push_back(bounded_below(
            Form::printed, fmt::format("loss at atoms (s, s), (s, -s), s^2={}, L=5, heads along (1, 0)", strength),
            weak / 1000, softmax_loss(two_atoms(strength, false), aligned(strength)), 1e-9));
    for (auto& e : bounded(Form::corrected, context)) evidence.push_back(std::move(e));
    return evidence;
}

// The proof's step: a head that is aligned with theta, on the opposite spike. Its weight on the relevant token.
std::vector<Evidence> opposite_spike(const Claim&, const Context& context) {
    const int samples = 20'000;
    std::vector<Evidence> evidence;
    for (const double B : {3.0, 6.0}) {
        context.poll();
        Eigen::VectorXd weights(samples);
        for (int i = 0; i < samples; ++i) {
            Eigen::Matrix<double, 1, tokens> chi;
            fill_normal({chi.data(), tokens}, context.seed, Stream::search, static_cast<std::uint64_t>(i * tokens));
            chi[0] -= B;
            weights[i] = attend(Activation::softmax, 2 * chi, Eigen::VectorXd::Zero(1), 1)(0, 0);
        }
        const Estimate mean = mean_of(weights);
        const std::string quantity = fmt::format("mean weight of the relevant token, m=2, theta=-{}, L=5", B);
        evidence.push_back(compare(Form::printed, "monte-carlo", quantity, 1.0 / tokens, mean, 0.02, context.seed));
        evidence.push_back(at_most(Form::corrected, "monte-carlo", quantity, 0.05 / B, mean, context.seed));
    }
    return evidence;
}

std::vector<Evidence> softmax_1(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    double before = 1;
    for (const double B : {4.0, 9.0, 16.0, 36.0}) {
        context.poll();
        const Prior prior = two_atoms(B * B / 2, true);
        // The paper's scaling: heads of size B, biases B^(3/2).
        const State state = thresholded_pair(Eigen::Vector2d(1, 1).normalized(), B, std::sqrt(B));
        const Estimate loss = loss_exact({Activation::softmax_1, tokens, prior}, state).loss;
        Evidence e;
        e.method = "exact quadrature";
        e.quantity = fmt::format("loss at B={}, atoms +-B, L=5: at most 0.7 of the one before", B);
        e.expected = fmt::format("<= {:.6g}", 0.7 * before);
        e.measured = loss.value;
        e.error = e.tolerance = margin(loss);
        e.outcome = loss.value <= 0.7 * before + margin(loss) ? Outcome::holds : Outcome::violated;
        evidence.push_back(e);
        before = loss.value;
    }
    return evidence;
}

// The weights of the proof's two heads, sampled: the one along theta answers, the other is silent.
std::vector<Evidence> silent_head(const Claim&, const Context& context) {
    const int samples = 20'000;
    std::vector<Evidence> evidence;
    for (const double B : {9.0, 36.0}) {
        context.poll();
        Eigen::VectorXd relevant(samples), others(samples), silent(samples), output(samples);
        const Eigen::Vector2d biases = Eigen::Vector2d::Constant(std::pow(B, 1.5));
        for (int i = 0; i < samples; ++i) {
            Eigen::Matrix<double, 1, tokens> overlap;
            fill_normal({overlap.data(), tokens}, context.seed, Stream::search, static_cast<std::uint64_t>(i * tokens));
            overlap[0] += B;
            Eigen::MatrixXd chi(2, tokens);
            chi << B * overlap, -B * overlap;
            const Eigen::MatrixXd sigma = attend(Activation::softmax_1, chi, biases, 1);
            relevant[i] = 1 - sigma(0, 0);
            others[i] = sigma.row(0).tail(tokens - 1).sum();
            silent[i] = sigma.row(1).sum();
            Eigen::VectorXd missed = -attend(Activation::softmax_1, chi, biases, 2).colwise().mean();
            missed[0] += 1;
            output[i] = missed.squaredNorm();
        }
        const auto small = [&](const char* what, const Eigen::VectorXd& values) {
            evidence.push_back(
                our_reading(at_most(Form::printed, "monte-carlo", fmt::format("mean of {}, B={}, L=5", what, B),
                                    B < 10 ? 0.05 : 0.001, mean_of(values), context.seed)));
        };
        small("1 - sigma(chi_1)_eps, v left out", relevant);
        small("the other weights of head 1", others);
        small("all weights of head 2", silent);
        small("the squared distance of the output's weights from delta_eps, v=2", output);
    }
    return evidence;
}

}  // namespace

std::vector<Check> prop_iv3() {
    return {{"prop-IV.3/softmax",
             {"exact quadrature", "counterexample search"},
             [](const Claim&, const Context& context) { return bounded(Form::printed, context); }},
            {"prop-IV.3/half-space", {"exact quadrature", "counterexample search"}, inside_half_space},
            {"prop-IV.3/silent-head", {"monte-carlo"}, silent_head},
            {"prop-IV.3/opposite-spike", {"monte-carlo"}, opposite_spike},
            {"prop-IV.3/softmax-1", {"exact quadrature"}, softmax_1}};
}

}  // namespace lemmata::verify::checks
