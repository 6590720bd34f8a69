// The population loss [2603.03993v1, eq. (10)], slowly and plainly, in any scalar type: double for tests of the
// fast engine, Boost.Multiprecision for digits beyond it, automatic differentiation for gradients.
//
// With g(x) = exp(-e^x), 1/Z = int e^u exp(-e^u Z) du turns a softmax into an integral of a product
// over independent tokens (exponential races: token l of head h finishes at rate e^{chi_hl}). For
// heads i, j let phi_0(u1,u2) = E g(u1+chi_i) g(u2+chi_j) for a null token, phi_e for the relevant
// one, G = g(u1+b_i) g(u2+b_j) for softmax-1 and 1 for softmax. Then, with v = 1 for softmax,
//   P_i  = int (-phi_e') phi_0^{L-1} G du                                  head i picks the relevant token
//   A_ij = iint (d12 phi_e phi_0^{L-1} + (L-1) d12 phi_0 phi_e phi_0^{L-2}) G    i, j pick the same token
//   A_ii = int (phi_e^(2) phi_0^{L-1} + (L-1) phi_0^(2) phi_e phi_0^{L-2}) G du,  phi^(2) = E e^{2(u+chi)} g(u+chi)
//   E    = 1 - (2v/H) sum_i P_i + (v/H)^2 sum_ij A_ij.
// In Bayes-softmax all heads share one race: token l has the rate e^{x_l} = sum_h e^{chi_hl + b_h}, so that
// E = 1 - 2 P + A for the one runner of score x.
// loss_exact.hpp integrates by parts first, so the two share the race identity and nothing else.
//
// Every integral is a trapezoid rule: one lattice in u for each head, Gaussian lattices for the scores
// (chi_j given chi_i is Gaussian; Bayes-softmax: a product lattice over the Cholesky factor's columns). Spacings follow
// from the strips of analyticity (docs/accuracy.md) and `digits`; the result is correct to about 10^-digits,
// absolutely, if Real carries a few digits more and `digits` + log10(L) stays below its precision. Cost for each pair:
// (nodes in u) x (nodes in chi)^2 exponentials; nodes in u grow with the width of the relevant law. Bayes-softmax:
// (nodes in u) x (nodes in chi)^rank(q). Milliseconds in double; seconds to minutes in 50 digits.
#pragma once

#include <lemmata/error.hpp>
#include <lemmata/problem.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace lemmata {

template <class Real>
using MatrixOf = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
template <class Real>
using VectorOf = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

// A state whose entries carry the digits of Real.
template <class Real>
struct StateOf {
    MatrixOf<Real> m, r;
    VectorOf<Real> b;
    Real v = 1;
};

template <class Real>
StateOf<Real> state_of(const State& state) {
    return {state.m.template cast<Real>(), state.r.template cast<Real>(), state.b.template cast<Real>(), Real(state.v)};
}

namespace reference {

// The scores of one token under one component of its law.
template <class Real>
struct Law {
    Real weight;
    VectorOf<Real> mean;
    MatrixOf<Real> covariance;
};

template <class Real>
struct Rule {
    std::vector<Real> nodes, weights;
};

// A standard deviation; 0 has no derivative, and a variance that touches 0 has none to pass on.
template <class Real>
Real root(const Real& variance) {
    using std::sqrt;
    return variance > 0 ? Real(sqrt(variance)) : Real(0);
}

// log of 1/(wanted error), with room for the constants of the bounds.
inline double exponent(double digits) {
    return digits * std::log(10.0) + 6;
}

// E f(Z), f analytic for |Im z| < pi / (2 sigma): the spacing h at which 2 pi a/h - a^2/2 is large enough.
template <class Real>
Rule<Real> gaussian_rule(const Real& sigma, double digits, double reach_digits) {
    using std::exp, std::sqrt, std::atan;
    if (sigma == 0) return {{Real(0)}, {Real(1)}};
    const double pi = 3.14159265358979323846;
    const double strip = std::min(pi / 2 / static_cast<double>(sigma), std::sqrt(2 * exponent(digits)));
    const Real h = Real(2 * pi * strip / (exponent(digits) + strip * strip / 2));
    const int count = static_cast<int>(std::sqrt(2 * exponent(reach_digits)) / static_cast<double>(h)) + 1;
    const Real tau = 8 * atan(Real(1));
    Rule<Real> rule;
    for (int k = -count; k <= count; ++k) {
        const Real z = k * h;
        rule.nodes.push_back(z);
        rule.weights.push_back(h * exp(-z * z / 2) / sqrt(tau));
    }
    return rule;
}

// E[1 - g], -E[g'] and E[e^{2x} g] at x = u + s Z.
template <class Real>
struct Smoothed {
    Real complement, slope, second;
};
template <class Real>
Smoothed<Real> smoothed(const Real& u, const Real& s, const Rule<Real>& rule) {
    using std::exp, std::expm1;
    Smoothed<Real> sum{Real(0), Real(0), Real(0)};
    for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
        const Real x = u + s * rule.nodes[k];
        if (x > 700) {
            sum.complement += rule.weights[k];
            continue;
        }
        const Real y = exp(x), lost = -expm1(-y), g = 1 - lost;
        sum.complement += rule.weights[k] * lost;
        sum.slope += rule.weights[k] * y * g;
        sum.second += rule.weights[k] * y * y * g;
    }
    return sum;
}

// phi^n for phi = 1 - complement.
template <class Real>
Real power(const Real& complement, const Real& n) {
    using std::exp, std::log1p;
    if (n == 0) return Real(1);
    if (complement >= 1) return Real(0);
    return exp(n * log1p(-complement));
}

template <class Real>
struct Model {
    std::vector<Law<Real>> laws;  // laws[0] is the null token's; the others make up the relevant one's
    VectorOf<Real> b;
    Real tokens;
    bool biased;
    double digits;
    std::vector<Rule<Real>> shared = {};  // Bayes-softmax: for each law, x at the nodes of the scores' rule
    std::function<Rule<Real>(const Real&)> given_rule = {};  // for scores of given standard deviation; else a lattice

    [[nodiscard]] int runners() const { return shared.empty() ? static_cast<int>(b.size()) : 1; }
    [[nodiscard]] Rule<Real> rule(const Real& width) const {
        return given_rule ? given_rule(width) : gaussian_rule(width, digits, reach_digits());
    }

    [[nodiscard]] Real sigma(std::size_t law, int i) const { return root<Real>(laws[law].covariance(i, i)); }
    [[nodiscard]] double reach_digits() const { return digits + std::log10(static_cast<double>(tokens)); }
    [[nodiscard]] Real bias_factor(const Real& u, int i) const {
        using std::exp;
        return biased ? exp(-exp(u + b[i])) : Real(1);
    }
    [[nodiscard]] Smoothed<Real> one_head(std::size_t law, const Real& u, int i) const {
        if (!shared.empty()) return smoothed<Real>(u, Real(1), shared[law]);
        const Real s = sigma(law, i);
        return smoothed<Real>(u + laws[law].mean[i], s, rule(s));
    }
};

// L with L L^T = covariance; a direction without variance has a column of zeros.
template <class Real>
MatrixOf<Real> cholesky(const MatrixOf<Real>& covariance) {
    MatrixOf<Real> factor = MatrixOf<Real>::Zero(covariance.rows(), covariance.cols());
    for (Eigen::Index j = 0; j < factor.cols(); ++j)
        for (Eigen::Index i = j; i < factor.rows(); ++i) {
            Real rest = covariance(i, j);
            for (Eigen::Index k = 0; k < j; ++k) rest -= factor(i, k) * factor(j, k);
            if (i == j)
                factor(j, j) = root(rest);
            else if (factor(j, j) > 0)
                factor(i, j) = rest / factor(j, j);
        }
    return factor;
}

// x = log sum_h e^{chi_h + b_h} at the nodes of the product rule for one law.
template <class Real>
Rule<Real> shared_rule(const Model<Real>& model, const Law<Real>& law) {
    using std::exp, std::log;
    struct Point {
        VectorOf<Real> scores;
        Real weight;
    };
    std::vector<Point> points{{law.mean + model.b, Real(1)}};
    const MatrixOf<Real> factor = cholesky(law.covariance);
    for (Eigen::Index d = 0; d < factor.cols(); ++d) {
        Real width(0);
        for (Eigen::Index h = 0; h < factor.rows(); ++h) {
            if (factor(h, d) > width) width = factor(h, d);
            if (-factor(h, d) > width) width = -factor(h, d);
        }
        const Rule<Real> rule = model.rule(width);
        std::vector<Point> finer;
        for (const Point& point : points)
            for (std::size_t k = 0; k < rule.nodes.size(); ++k)
                finer.push_back({point.scores + factor.col(d) * rule.nodes[k], point.weight * rule.weights[k]});
        points = std::move(finer);
    }
    Rule<Real> result;
    for (const Point& point : points) {
        Real top = point.scores[0], sum(0);
        for (const Real& score : point.scores) top = score > top ? score : top;
        for (const Real& score : point.scores) sum += exp(score - top);
        result.nodes.push_back(top + log(sum));
        result.weights.push_back(point.weight);
    }
    return result;
}

// Nodes in u for head i: from where nothing has finished to where everything has. If all laws are
// narrow the exponential left tail is stretched, u = centre + t - e^{-t}, which narrows the strip.
template <class Real>
Rule<Real> outer_rule(const Model<Real>& model, int i) {
    using std::exp, std::log;
    const double small = std::exp(-exponent(model.digits));
    const double b = model.biased ? static_cast<double>(model.b[i]) : -1e9;
    const double centre = -std::log(static_cast<double>(model.tokens) + std::exp(b));
    const auto started = [&](double u) {
        double sum = std::exp(u + b);
        for (std::size_t k = 0; k < model.laws.size(); ++k)
            sum += (k == 0 ? static_cast<double>(model.tokens) - 1 : 1.0) *
                   static_cast<double>(model.one_head(k, Real(u), i).complement);
        return sum;
    };
    const auto unfinished = [&](double u) {
        double complement = static_cast<double>(model.one_head(0, Real(u), i).complement);
        double left = 0;
        for (std::size_t k = 1; k < model.laws.size(); ++k)
            left += 1 - static_cast<double>(model.one_head(k, Real(u), i).complement);
        return power(complement, static_cast<double>(model.tokens) - 1) * std::exp(-std::exp(u + b)) * left;
    };
    double low = centre - 1, high = centre + 1, widest = 0;
    while (started(low) > small) low -= 1;
    while (unfinished(high) > small) high += 1;
    for (std::size_t k = 0; k < model.laws.size(); ++k)
        widest = std::max(widest, static_cast<double>(model.sigma(k, i)));
    const double pi = 3.14159265358979323846;
    double h = pi * pi / (exponent(model.digits) + 4);
    Rule<Real> rule;
    if (widest > 1.5) {
        for (Real u = Real(low); u <= high; u += Real(h)) {
            rule.nodes.push_back(u);
            rule.weights.push_back(Real(h));
        }
        return rule;
    }
    h *= 0.6;
    double first = 0;
    while (centre + first - std::exp(-first) > low) first -= h;
    for (Real t = Real(first); centre + t - exp(-t) <= high; t += Real(h)) {
        rule.nodes.push_back(centre + t - exp(-t));
        rule.weights.push_back(Real(h) * (1 + exp(-t)));
    }
    return rule;
}

// 1 - phi, -d1 phi, -d2 phi and d12 phi of one law on the lattice of a pair.
template <class Real>
struct PairField {
    MatrixOf<Real> complement, d12;
};
template <class Real>
PairField<Real> pair_field(const Model<Real>& model, std::size_t law, int i, int j, const Rule<Real>& u1,
                           const Rule<Real>& u2) {
    const Law<Real>& scores = model.laws[law];
    const Real sigma = model.sigma(law, i);
    const Real slope = sigma > 0 ? Real(scores.covariance(i, j) / sigma) : Real(0);  // chi_j = slope z + tau z'
    const Real tau = root<Real>(scores.covariance(j, j) - slope * slope);
    const Rule<Real> z = model.rule(Real(std::max(static_cast<double>(sigma), std::abs(static_cast<double>(slope)))));
    const Rule<Real> rest_rule = model.rule(tau);
    const auto n1 = static_cast<Eigen::Index>(u1.nodes.size()), n2 = static_cast<Eigen::Index>(u2.nodes.size()),
               nz = static_cast<Eigen::Index>(z.nodes.size());
    MatrixOf<Real> kept(n1, nz), slope1(n1, nz), lost2(n2, nz), slope2(n2, nz);
    VectorOf<Real> lost1 = VectorOf<Real>::Zero(n1);
    const Rule<Real> point{{Real(0)}, {Real(1)}};
    for (Eigen::Index k = 0; k < nz; ++k) {
        const Real node = z.nodes[static_cast<std::size_t>(k)], weight = z.weights[static_cast<std::size_t>(k)];
        for (Eigen::Index a = 0; a < n1; ++a) {
            const auto at =
                smoothed<Real>(u1.nodes[static_cast<std::size_t>(a)] + scores.mean[i] + sigma * node, Real(0), point);
            kept(a, k) = weight * (1 - at.complement);
            slope1(a, k) = weight * at.slope;
            lost1[a] += weight * at.complement;
        }
        for (Eigen::Index a = 0; a < n2; ++a) {
            const auto at =
                smoothed<Real>(u2.nodes[static_cast<std::size_t>(a)] + scores.mean[j] + slope * node, tau, rest_rule);
            lost2(a, k) = at.complement;
            slope2(a, k) = at.slope;
        }
    }
    PairField<Real> field;
    field.complement = kept * lost2.transpose();  // 1 - g1 g2 = (1 - g1) + g1 (1 - g2)
    field.complement.colwise() += lost1;
    field.d12 = slope1 * slope2.transpose();
    return field;
}

// P_i and A_ii.
template <class Real>
std::pair<Real, Real> one_head_integrals(const Model<Real>& model, int i) {
    const Rule<Real> u = outer_rule(model, i);
    Real picks(0), agree(0);
    for (std::size_t a = 0; a < u.nodes.size(); ++a) {
        const auto null = model.one_head(0, u.nodes[a], i);
        Smoothed<Real> relevant{Real(0), Real(0), Real(0)};
        for (std::size_t k = 1; k < model.laws.size(); ++k) {
            const auto part = model.one_head(k, u.nodes[a], i);
            relevant.complement += model.laws[k].weight * part.complement;
            relevant.slope += model.laws[k].weight * part.slope;
            relevant.second += model.laws[k].weight * part.second;
        }
        const Real measure = u.weights[a] * model.bias_factor(u.nodes[a], i);
        const Real others = power<Real>(null.complement, model.tokens - 1);
        picks += measure * relevant.slope * others;
        agree += measure * (relevant.second * others + (model.tokens - 1) * null.second * (1 - relevant.complement) *
                                                           power<Real>(null.complement, model.tokens - 2));
    }
    return {picks, agree};
}

// A_ij for i != j.
template <class Real>
Real pair_integral(const Model<Real>& model, int i, int j) {
    const Rule<Real> u1 = outer_rule(model, i), u2 = outer_rule(model, j);
    const PairField<Real> null = pair_field(model, 0, i, j, u1, u2);
    PairField<Real> relevant{MatrixOf<Real>::Zero(null.d12.rows(), null.d12.cols()),
                             MatrixOf<Real>::Zero(null.d12.rows(), null.d12.cols())};
    for (std::size_t k = 1; k < model.laws.size(); ++k) {
        const PairField<Real> part = pair_field(model, k, i, j, u1, u2);
        relevant.complement += model.laws[k].weight * part.complement;
        relevant.d12 += model.laws[k].weight * part.d12;
    }
    Real agree(0);
    for (Eigen::Index a = 0; a < null.d12.rows(); ++a)
        for (Eigen::Index c = 0; c < null.d12.cols(); ++c) {
            const auto a1 = static_cast<std::size_t>(a), a2 = static_cast<std::size_t>(c);
            const Real measure = u1.weights[a1] * u2.weights[a2] * model.bias_factor(u1.nodes[a1], i) *
                                 model.bias_factor(u2.nodes[a2], j);
            agree += measure * (relevant.d12(a, c) * power<Real>(null.complement(a, c), model.tokens - 1) +
                                (model.tokens - 1) * null.d12(a, c) * (1 - relevant.complement(a, c)) *
                                    power<Real>(null.complement(a, c), model.tokens - 2));
        }
    return agree;
}

template <class Real>
Model<Real> make_model(const Problem& problem, const StateOf<Real>& state, double digits,
                       std::function<Rule<Real>(const Real&)> given_rule = {}) {
    Model<Real> model;
    model.given_rule = std::move(given_rule);
    const MatrixOf<Real> q = state.m * state.m.transpose() + state.r * state.r.transpose();
    const auto heads = static_cast<int>(q.rows());
    model.laws.push_back({Real(1), VectorOf<Real>::Zero(heads), q});
    for (const Component& component : problem.prior.components()) {
        const MatrixOf<Real> spread = state.m * component.covariance.template cast<Real>() * state.m.transpose();
        model.laws.push_back({Real(component.weight), state.m * component.mean.template cast<Real>(), q + spread});
    }
    model.b = state.b;
    model.tokens = Real(static_cast<double>(problem.tokens));
    model.biased = problem.activation == Activation::softmax_1;
    model.digits = digits;
    if (problem.activation == Activation::bayes_softmax) {
        // A common bias changes nothing but the time of the race: without it, that of one head.
        Real top = state.b[0];
        for (int h = 1; h < heads; ++h)
            if (state.b[h] > top) top = state.b[h];
        for (int h = 0; h < heads; ++h) model.b[h] -= top;
        for (const Law<Real>& law : model.laws) model.shared.push_back(shared_rule(model, law));
    }
    return model;
}

// E from the integrals; `scale` multiplies the sum over runners in the averaged attention.
template <class Real>
Real loss_of(const Model<Real>& model, const Real& scale) {
    Real loss(1);
    for (int i = 0; i < model.runners(); ++i) {
        const auto [picks, agree] = one_head_integrals(model, i);
        loss += scale * (scale * agree - 2 * picks);
        for (int j = 0; j < i; ++j) {
            const bool first = model.sigma(0, i) > 0;  // a head without scores has nothing to condition on
            loss += 2 * scale * scale * (first ? pair_integral(model, i, j) : pair_integral(model, j, i));
        }
    }
    return loss;
}

}  // namespace reference

// `given_rule`: another rule for the scores than the lattices, by their standard deviation.
template <class Real>
Real loss_reference(const Problem& problem, const StateOf<Real>& state, double digits,
                    std::function<reference::Rule<Real>(const Real&)> given_rule = {}) {
    const reference::Model<Real> model = reference::make_model(problem, state, digits, std::move(given_rule));
    const Real scale = (uses_scale(problem.activation) ? state.v : Real(1)) / static_cast<double>(model.runners());
    return reference::loss_of(model, scale);
}

}  // namespace lemmata
