// Lemmas III.2 and A.6: curvature of the loss in a feature not yet learnt, while another is. The
// constants are derived symbolically in appendix_a2.cpp; here
//   additive     that several learnt features act one by one;
//   eq-69        what two features add to each other's loss, at small m and mbar;
//   eq-14        the Hessian of the exact loss at a small mbar, against c^(4) as printed and corrected;
//   eq-59        the loss at m + mbar, as printed and as meant;
//   eq-61, 62    the terms of second order in m at a finite mbar, sampled as written, against the
//                Hessian of the exact loss there.
#include "checks/checks.hpp"

#include <lemmata/fit.hpp>
#include <lemmata/hessian.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/random.hpp>
#include <lemmata/symbolic/constants.hpp>
#include <lemmata/symbolic/printed.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata::verify::checks {
namespace {

// Feature 1 is learnt (variance W), feature 2 is not (variance V).
constexpr double W = 3, V = 2;

Problem two_features(int tokens) {
    return {Activation::softmax, tokens, Prior::gaussian(Eigen::Vector2d(W, V))};
}

// Second derivative of the loss along u in the second feature, at mbar in the first.
Estimate curvature_at(int tokens, const Eigen::VectorXd& mbar, const Eigen::VectorXd& u) {
    const auto heads = static_cast<int>(mbar.size());
    State state = state_at(Eigen::MatrixXd::Zero(heads, 2));
    state.m.col(0) = mbar;
    const HessianEstimate h = hessian(two_features(tokens), state);
    return {u.dot(h.value.block(heads, heads, heads, heads) * u),
            u.cwiseAbs().dot(h.error.block(heads, heads, heads, heads) * u.cwiseAbs())};
}

// The coefficients of (58) at numbers: as printed, from the quadratic form (69), and of the Hessian itself.
struct FourthOrder {
    double one, two, three;
};
struct FourthOrders {
    FourthOrder printed, corrected;
};
FourthOrders fourth_orders(int tokens, int heads) {
    symbolic::ScoreDerivatives derivatives(symbolic::printed_activation("softmax"));
    const auto list = symbolic::constants(derivatives, {4});
    const auto& s = derivatives.symbols();
    const auto value = [&](const char* key) {
        const GiNaC::ex at =
            symbolic::find_constant(list, key).value.subs(GiNaC::lst{s.L == tokens, s.H == heads, s.V == V, s.W == W});
        return GiNaC::ex_to<GiNaC::numeric>(at.evalf()).to_double();
    };
    return {
        {V * value("ct_1^(4)"), value("ct_2^(4)") + V * value("ct_3^(4)"), value("ct_4^(4)") + V * value("ct_5^(4)")},
        {value("c_1^(4)"), value("c_2^(4)"), value("c_3^(4)")}};
}

std::vector<Evidence> hessian_change(const Claim&, const Context& context) {
    constexpr int tokens = 5, heads = 4;
    const Eigen::Vector4d mbar(1, -1, 0.5, -0.5);
    const FourthOrders constants = fourth_orders(tokens, heads);
    std::vector<Evidence> evidence;
    const Eigen::Vector4d directions[] = {{1, -1, 0, 0}, {1, 1, -1, -1}, {0, 0, 1, -1}};
    for (const Eigen::Vector4d& u : directions) {
        context.poll();
        const Estimate origin = curvature_at(tokens, 0 * mbar, u);
        const auto change = [&](double t) {
            return (curvature_at(tokens, t * mbar, u).value - origin.value) / (t * t);
        };
        const double coarse = change(0.1), fine = change(0.05);
        const Estimate measured{(4 * fine - coarse) / 3, std::abs(fine - coarse) / 3 + origin.error / 0.0025};
        const auto expected = [&](const FourthOrder& c) {
            return c.one * mbar.squaredNorm() * u.squaredNorm() +
                   c.two * (mbar.array().square() * u.array().square()).sum() + c.three * std::pow(mbar.dot(u), 2);
        };
        const std::string quantity = fmt::format(
            "change of the curvature along u=({}, {}, {}, {}) by mbar=t(1, -1, 0.5, -0.5), over t^2, L=5, H=4", u[0],
            u[1], u[2], u[3]);
        for (const Form form : {Form::printed, Form::corrected}) {
            const double value = expected(form == Form::printed ? constants.printed : constants.corrected);
            evidence.push_back(
                compare(form, "Hessian of the exact loss", quantity, value, measured, 0.1 * std::abs(value)));
        }
    }
    return evidence;
}

// E(m + mbar) - E(mbar) - E(m) + E(0) over t^4 for m = t u, mbar = t w, as t -> 0.
std::vector<Evidence> interaction(const Claim&, const Context& context) {
    constexpr int tokens = 5, heads = 4;
    const FourthOrder c = fourth_orders(tokens, heads).printed;  // of the quadratic form, in m_f
    const Eigen::Vector4d w(1, -1, 0.5, -0.5);
    const Eigen::Vector4d directions[] = {{1, -1, 0, 0}, {1, 1, -1, -1}, {0, 0, 1, -1}};
    std::vector<Evidence> evidence;
    for (const Eigen::Vector4d& u : directions) {
        context.poll();
        const auto loss = [&](double in_w, double in_u) {
            State state = state_at(Eigen::MatrixXd::Zero(heads, 2));
            state.m.col(0) = in_w * w;
            state.m.col(1) = in_u * u;
            return loss_exact(two_features(tokens), state, {1e-12, false}).loss.value;
        };
        const auto mixed = [&](double t) {
            return (loss(t, t) - loss(t, 0) - loss(0, t) + loss(0, 0)) / std::pow(t, 4);
        };
        const double coarse = mixed(0.16), fine = mixed(0.08);
        const double expected = c.one * w.squaredNorm() * u.squaredNorm() +
                                c.two * (w.array().square() * u.array().square()).sum() +
                                c.three * std::pow(w.dot(u), 2);
        evidence.push_back(
            compare(Form::printed, "exact quadrature",
                    fmt::format("interaction of mbar = t(1, -1, 0.5, -0.5) and m = t({}, {}, {}, {}), over "
                                "t^4, L=5, H=4",
                                u[0], u[1], u[2], u[3]),
                    expected, {(4 * fine - coarse) / 3, std::abs(fine - coarse) / 3}, 0.1 * std::abs(expected)));
    }
    return evidence;
}

// Two features learnt, a and b, and m in a third: what the three together add beyond every pair, over t^4, as t -> 0.
Estimate beyond_pairs(const Prior& prior) {
    const Eigen::Vector4d a(1, -1, 0.5, -0.5), b(0.5, 1, -1, -0.5), m(1, -0.5, -1, 0.5);
    const auto over = [&](double t) {
        const auto loss = [&](int in_a, int in_b, int in_m) {
            State state = state_at(Eigen::MatrixXd::Zero(4, 3));
            state.m << in_a * t * a, in_b * t * b, in_m * t * m;
            return loss_exact({Activation::softmax, 5, prior}, state, {1e-12, false}).loss.value;
        };
        const double pairs = loss(1, 1, 0) + loss(1, 0, 1) + loss(0, 1, 1);
        const double singles = loss(1, 0, 0) + loss(0, 1, 0) + loss(0, 0, 1);
        return (loss(1, 1, 1) - pairs + singles - loss(0, 0, 0)) / std::pow(t, 4);
    };
    const double coarse = over(0.16), fine = over(0.08);
    // Eight losses, each right to 1e-12 or better, over 0.08^4.
    return {(4 * fine - coarse) / 3, std::abs(fine - coarse) / 3 + 8e-12 / std::pow(0.08, 4)};
}

std::vector<Evidence> additive(const Claim&, const Context& context) {
    const Prior independent = Prior::gaussian(Eigen::Vector3d(3, 2, 2));
    Eigen::Matrix3d covariance = Eigen::Vector3d(3, 2, 2).asDiagonal();
    covariance(0, 1) = covariance(1, 0) = 1.5;
    const Estimate coupled = beyond_pairs(Prior::mixture({{1, Eigen::Vector3d::Zero(), covariance}}));
    context.poll();
    const double size = std::abs(coupled.value);
    return {compare(Form::printed, "exact quadrature",
                    "what two learnt features and a third add beyond their pairs, over t^4, L=5, H=4", 0,
                    beyond_pairs(independent), 0.1 * size),
            our_reading(at_least(Form::printed, "exact quadrature",
                                 "the same, in size, if the two learnt theta_f have covariance 1.5", 0.01,
                                 {size, coupled.error}))};
}

std::vector<Evidence> argument(const Claim&, const Context&) {
    const Problem problem = two_features(4);
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(2, 2), mbar = m;
    m.col(1) << 0.6, -0.4;
    mbar.col(0) << 0.8, 0.3;
    const auto loss = [&](const Eigen::MatrixXd& at) { return loss_exact(problem, state_at(at)).loss; };
    // The right-hand side with scores (m + mbar) chi*, by samples of the formula as written.
    const int samples = 60'000;
    Eigen::VectorXd values(samples);
    Eigen::MatrixXd chi(2, 4);
    for (int i = 0; i < samples; ++i) {
        double z[10];
        fill_normal(z, 59, Stream::samples, static_cast<std::uint64_t>(10 * i));
        chi = Eigen::Map<Eigen::MatrixXd>(z + 2, 2, 4);
        chi(0, 0) += std::sqrt(W) * z[0];
        chi(1, 0) += std::sqrt(V) * z[1];
        const Eigen::MatrixXd scores = (m + mbar) * chi;
        Eigen::VectorXd missed = -attend(Activation::softmax, scores, Eigen::VectorXd::Zero(2), 1).colwise().mean();
        missed[0] += 1;
        values[i] = missed.squaredNorm();
    }
    const Estimate whole = loss(m + mbar);
    return {
        compare(Form::printed, "exact quadrature", "loss at m + mbar against scores m chi*, L=4, H=F=2", loss(m).value,
                whole, 1e-3),
        compare(Form::corrected, "samples of the formula as written",
                "loss at m + mbar against scores (m + mbar) chi*, L=4, H=F=2", whole.value, mean_of(values), 0.01, 59)};
}

// Terms of second order in m = u in the second feature, times 2: the second derivative along u.
struct SecondOrder {
    Estimate sampled;   // eq. (61): chi* of the unlearnt feature sampled too
    Estimate averaged;  // eq. (62): its average taken, (1) + (2)
};
SecondOrder second_order(int tokens, const Eigen::VectorXd& mbar, const Eigen::VectorXd& u, int samples,
                         std::uint64_t seed) {
    const Eigen::Index heads = mbar.size();
    Eigen::VectorXd sampled(samples), averaged(samples), z(2 * tokens + 2), one(tokens), two(tokens);
    for (int i = 0; i < samples; ++i) {
        fill_normal({z.data(), static_cast<std::size_t>(z.size())}, seed, Stream::samples,
                    static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(z.size()));
        one = z.segment(2, tokens);
        two = z.tail(tokens);
        one[0] += std::sqrt(W) * z[0];
        two[0] += std::sqrt(V) * z[1];
        const Eigen::MatrixXd sigma =
            attend(Activation::softmax, mbar * one.transpose(), Eigen::VectorXd::Zero(heads), 1);
        const Eigen::VectorXd mean = sigma.colwise().mean();
        // Derivatives of a softmax: d_k s_l = s_l (delta_lk - s_k), d_jk s_l = d_j of that.
        double first = 0, second = 0, square_first = 0, square_second = 0;
        for (Eigen::Index l = 0; l < tokens; ++l) {
            const double missed = (l == 0 ? 1 : 0) - mean[l];
            double sum_first = 0;
            Eigen::VectorXd sum_second = Eigen::VectorXd::Zero(tokens);
            for (Eigen::Index h = 0; h < heads; ++h) {
                const auto s = [&](Eigen::Index k) { return sigma(h, k); };
                const auto slope = [&](Eigen::Index k) { return s(l) * ((l == k ? 1 : 0) - s(k)); };
                for (Eigen::Index j = 0; j < tokens; ++j) {
                    sum_first += slope(j) * u[h] * two[j];
                    sum_second[j] += slope(j) * u[h];
                    for (Eigen::Index k = 0; k < tokens; ++k) {
                        const double bend =
                            slope(j) * ((l == k ? 1 : 0) - s(k)) - s(l) * s(k) * ((j == k ? 1 : 0) - s(j));
                        first -= missed * bend * u[h] * u[h] * two[j] * two[k];
                        if (j == k) second -= missed * bend * u[h] * u[h] * (1 + (j == 0 ? V : 0));
                    }
                }
            }
            square_first += sum_first * sum_first;
            for (Eigen::Index j = 0; j < tokens; ++j)
                square_second += sum_second[j] * sum_second[j] * (1 + (j == 0 ? V : 0));
        }
        const double H = static_cast<double>(heads);
        sampled[i] = 2 * (first / H + square_first / (H * H));
        averaged[i] = 2 * (second / H + square_second / (H * H));
    }
    return {mean_of(sampled), mean_of(averaged)};
}

std::vector<Evidence> at_finite_mbar(bool averaged, const Context& context) {
    const Eigen::Vector2d mbar(0.7, -0.4), u(1, 0.5);
    const int samples = context.tier == Tier::quick ? 200'000 : 1'000'000;
    std::vector<Evidence> evidence;
    for (const int tokens : {3, 4}) {
        context.poll();
        const Estimate exact = curvature_at(tokens, mbar, u);
        const SecondOrder order = second_order(tokens, mbar, u, samples, 61 + context.seed);
        Estimate written = averaged ? order.averaged : order.sampled;
        written.error += margin(exact) / 4;
        evidence.push_back(
            compare(Form::printed, "samples of the formula as written against the Hessian",
                    fmt::format("second derivative along (1, 0.5) at mbar=(0.7, -0.4), L={}, H=2", tokens), exact.value,
                    written, 0.03 * std::abs(exact.value) + 0.003, context.seed));
    }
    if (!averaged) return evidence;
    // The term of first order that eq. (62) drops.
    State state = state_at(Eigen::MatrixXd::Zero(2, 2));
    state.m.col(0) = mbar;
    const LossEstimate loss = loss_exact(two_features(4), state, {1e-10, true});
    evidence.push_back(compare(Form::printed, "exact quadrature", "gradient in the feature not learnt, largest entry",
                               0,
                               {loss.gradient->value.m.col(1).cwiseAbs().maxCoeff(), loss.gradient->error.m.maxCoeff()},
                               0.01 * loss.gradient->value.m.norm()));
    return evidence;
}

}  // namespace

std::vector<Check> lemma_a6() {
    const auto finite = [](bool averaged) {
        return [averaged](const Claim&, const Context& context) { return at_finite_mbar(averaged, context); };
    };
    return {{"lemma-III.2/eq-14", {"Hessian of the exact loss", "symbolic constants"}, hessian_change},
            {"lemma-A.6/eq-69", {"exact quadrature", "symbolic constants"}, interaction},
            {"lemma-A.6/additive", {"exact quadrature"}, additive},
            {"lemma-A.6/eq-59", {"exact quadrature", "samples of the formula as written"}, argument},
            {"lemma-A.6/eq-61", {"samples of the formula as written", "Hessian of the exact loss"}, finite(false)},
            {"lemma-A.6/eq-62", {"samples of the formula as written", "Hessian of the exact loss"}, finite(true)}};
}

}  // namespace lemmata::verify::checks
