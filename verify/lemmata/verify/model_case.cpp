#include <lemmata/random.hpp>
#include <lemmata/verify/model_case.hpp>

#include <fmt/format.h>
#include <array>
#include <cmath>
#include <functional>

namespace lemmata::verify {
namespace {

// Draws from one counter-based stream, in order.
class Dice {
public:
    Dice(std::uint64_t seed, std::uint64_t index) : seed_(seed), next_(index * 4096) {}

    double uniform() { return open_unit(random_bits(seed_, Stream::search, next_++)); }
    double normal() {
        double z = 0;
        fill_normal({&z, 1}, seed_, Stream::search, next_++);
        return z;
    }
    int below(int n) { return static_cast<int>(uniform() * n); }
    template <class T, std::size_t n>
    T choose(const std::array<T, n>& options) {
        return options[static_cast<std::size_t>(below(int(n)))];
    }
    Eigen::VectorXd normals(Eigen::Index n) {
        Eigen::VectorXd z(n);
        for (double& entry : z) entry = normal();
        return z;
    }

private:
    std::uint64_t seed_, next_;
};

Component atom(double weight, const Eigen::VectorXd& at) {
    return {weight, at, Eigen::MatrixXd::Zero(at.size(), at.size())};
}

Prior draw_prior(Dice& dice, int features) {
    const double size = dice.choose(std::array{0.2, 0.7, 1.0, 2.0, 3.0});
    switch (dice.below(8)) {
        case 0:  // one atom: nothing random
            return Prior::mixture({atom(1, size * dice.normals(features).normalized())});
        case 1:
            return features == 2 ? Prior::flipping_spike(size * size, size) : Prior::spikes(features, size * size);
        case 2:
            return Prior::spikes(features, size * size);
        case 3:
            return Prior::gaussian(linear_variances(features, size * size, size * size / 10));
        case 4: {  // degenerate: no variance in the last feature
            Eigen::VectorXd variances = Eigen::VectorXd::Constant(features, size * size);
            if (features > 1) variances[features - 1] = 0;
            return Prior::gaussian(variances);
        }
        case 5: {  // centred but skewed: weight 0.2 at 4u, 0.8 at -u
            const Eigen::VectorXd u = size / 2 * dice.normals(features);
            return Prior::mixture({atom(0.2, 4 * u), atom(0.8, -u)});
        }
        case 6: {  // symmetric, features dependent
            const Eigen::VectorXd u = size * dice.normals(features), w = size * dice.normals(features);
            const Eigen::MatrixXd wide = w * w.transpose();
            return Prior::mixture({{0.5, u, wide}, {0.5, -u, wide}});
        }
        default: {  // no symmetry at all
            const Eigen::VectorXd u = size * dice.normals(features), w = size * dice.normals(features);
            const Eigen::VectorXd x = dice.normals(features);
            return Prior::mixture({{0.7, u, dice.below(2) * x * x.transpose()}, atom(0.3, w)});
        }
    }
}

Eigen::MatrixXd without_row(const Eigen::MatrixXd& a, Eigen::Index row) {
    Eigen::MatrixXd out(a.rows() - 1, a.cols());
    out << a.topRows(row), a.bottomRows(a.rows() - row - 1);
    return out;
}

Eigen::MatrixXd without_column(const Eigen::MatrixXd& a, Eigen::Index column) {
    return without_row(a.transpose(), column).transpose();
}

ModelCase without_head(ModelCase c, Eigen::Index head) {
    c.state.m = without_row(c.state.m, head);
    c.state.r = without_row(without_column(c.state.r, head), head);
    c.state.b = without_row(c.state.b, head);
    return c;
}

ModelCase with_components(ModelCase c, std::vector<Component> components) {
    double total = 0;
    for (const auto& component : components) total += component.weight;
    for (auto& component : components) component.weight /= total;
    c.problem.prior = Prior::mixture(std::move(components));
    return c;
}

ModelCase without_feature(ModelCase c, Eigen::Index feature) {
    c.state.m = without_column(c.state.m, feature);
    auto components = c.problem.prior.components();
    for (auto& component : components) {
        component.mean = without_row(component.mean, feature);
        component.covariance = without_row(without_column(component.covariance, feature), feature);
    }
    return with_components(std::move(c), std::move(components));
}

// The numbers of a case that may be moved or rounded one by one. Covariances are left alone: they must
// stay positive semidefinite; and so is v, whose simplest value is 1.
void for_each_number(ModelCase& c, const std::function<void(double&)>& visit) {
    for (double& x : c.state.m.reshaped()) visit(x);
    for (double& x : c.state.r.reshaped()) visit(x);
    for (double& x : c.state.b) visit(x);
    auto components = c.problem.prior.components();
    for (auto& component : components)
        for (double& x : component.mean) visit(x);
    c = with_components(c, std::move(components));
}

double digits(double x) {
    if (x == 0) return 0;
    if (std::abs(x) == 1) return 1;
    for (const double unit : {1.0, 0.5, 0.1, 0.01})
        if (std::abs(x / unit - std::round(x / unit)) < 1e-9) return 2 + 10 * (1 - unit);
    return 20;
}

std::string text(const Eigen::MatrixXd& a) {
    if (a.isZero(0)) return "0";
    std::string out = "(";
    for (Eigen::Index i = 0; i < a.rows(); ++i)
        for (Eigen::Index j = 0; j < a.cols(); ++j)
            out += fmt::format("{}{:.6g}", i + j == 0 ? "" : (j == 0 ? "; " : ", "), a(i, j) + 0.0);
    return out + ")";
}

}  // namespace

std::string describe(const ModelCase& c) {
    std::string prior;
    for (const auto& component : c.problem.prior.components()) {
        prior += fmt::format("{}{:.6g} at {}", prior.empty() ? "" : ", ", component.weight,
                             text(component.mean.transpose()));
        if (!component.covariance.isZero(0)) prior += " cov " + text(component.covariance);
    }
    return fmt::format("{}, L={}, theta: {}, m={}, r={}, b={}, v={:.6g}", name(c.problem.activation), c.problem.tokens,
                       prior, text(c.state.m), text(c.state.r), text(c.state.b.transpose()), c.state.v);
}

ModelCase draw_case(std::uint64_t seed, std::uint64_t index) {
    Dice dice(seed, index);
    const Activation activation = all_activations[index % all_activations.size()];
    const int heads = 1 + dice.below(activation == Activation::bayes_softmax ? 2 : 3);
    const int features = 1 + dice.below(activation == Activation::bayes_softmax ? 2 : 3);
    const std::int64_t tokens = dice.choose(std::array<std::int64_t, 7>{2, 2, 3, 4, 5, 12, 100});
    const Prior prior = draw_prior(dice, features);
    State state = zero_state(heads, features);
    const double size = dice.choose(std::array{0.0, 0.05, 0.5, 1.0, 2.0});
    for (double& entry : state.m.reshaped()) entry = size * dice.normal();
    if (heads > 1) switch (dice.below(5)) {
            case 0:
                state.m.row(1) = state.m.row(0);
                break;
            case 1:
                state.m.row(1) = -state.m.row(0);
                break;
            case 2:
                state.m.row(0).setZero();
                break;
            default:
                break;
        }
    if (dice.below(3) > 0) {
        state.r = dice.choose(std::array{0.1, 0.5, 1.0}) * Eigen::MatrixXd::Identity(heads, heads);
        const Eigen::VectorXd noise = 0.2 * dice.normals(state.r.size());
        state.r += noise.reshaped(heads, heads) + noise.reshaped(heads, heads).transpose();
    }
    state.v = 1;
    if (uses_bias(activation)) state.b = dice.choose(std::array{0.0, 0.5, 2.0}) * dice.normals(heads);
    if (uses_scale(activation)) state.v = dice.choose(std::array{1.0, 1.0, 0.5, 1.8});
    return {{activation, tokens, prior}, state};
}

ModelCase nearby_case(const ModelCase& c, double step, std::uint64_t seed, std::uint64_t index) {
    Dice dice(seed, index);
    ModelCase moved = c;
    for_each_number(moved, [&](double& x) {
        const double z = dice.normal();
        if (x != 0) x += step * (0.3 + std::abs(x)) * z;
    });
    if (uses_scale(c.problem.activation)) moved.state.v += step * dice.normal();
    return moved;
}

std::vector<ModelCase> simpler_cases(const ModelCase& c) {
    std::vector<ModelCase> out;
    const auto& components = c.problem.prior.components();
    if (c.state.heads() > 1)
        for (Eigen::Index h = 0; h < c.state.heads(); ++h) out.push_back(without_head(c, h));
    if (c.state.features() > 1)
        for (Eigen::Index f = 0; f < c.state.features(); ++f) out.push_back(without_feature(c, f));
    if (components.size() > 1)
        for (std::size_t k = 0; k < components.size(); ++k) {
            auto fewer = components;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
            out.push_back(with_components(c, fewer));
        }
    const auto changed = [&](const auto& change) {
        out.push_back(c);
        change(out.back());
    };
    for (const std::int64_t tokens : {std::int64_t{2}, std::int64_t{3}, c.problem.tokens / 2, c.problem.tokens - 1})
        if (tokens >= 2 && tokens < c.problem.tokens) changed([&](ModelCase& s) { s.problem.tokens = tokens; });
    changed([](ModelCase& s) { s.problem.activation = Activation::softmax; });
    changed([](ModelCase& s) { s.state.r.setZero(); });
    changed([](ModelCase& s) { s.state.b.setZero(); });
    changed([](ModelCase& s) { s.state.v = 1; });
    changed([&](ModelCase& s) {
        auto atoms = components;
        for (auto& component : atoms) component.covariance.setZero();
        s = with_components(s, atoms);
    });
    changed([&](ModelCase& s) {
        auto even = components;
        for (auto& component : even) component.weight = 1;
        s = with_components(s, even);
    });
    changed([&](ModelCase& s) {
        auto round = components;
        for (auto& component : round) {
            component.covariance = component.covariance.diagonal().array().ceil().matrix().asDiagonal();
        }
        s = with_components(s, round);
    });
    // All numbers at once, then one by one.
    const std::array<double (*)(double), 5> roundings{
        [](double) { return 0.0; }, [](double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : 0.0); },
        [](double x) { return std::round(x); }, [](double x) { return std::round(2 * x) / 2; },
        [](double x) { return std::round(10 * x) / 10; }};
    for (const auto& rounded : roundings)
        changed([&](ModelCase& s) { for_each_number(s, [&](double& x) { x = rounded(x); }); });
    int numbers = 0;
    ModelCase counted = c;
    for_each_number(counted, [&](double&) { ++numbers; });
    for (int i = 0; i < numbers; ++i)
        for (const auto& rounded : roundings)
            changed([&](ModelCase& s) {
                int at = 0;
                for_each_number(s, [&](double& x) {
                    if (at++ == i) x = rounded(x);
                });
            });
    return out;
}

double complexity(const ModelCase& c) {
    double sum = 1000 * (c.state.heads() + c.state.features());
    sum += 100 * std::log2(static_cast<double>(c.problem.tokens));
    if (c.problem.activation != Activation::softmax) sum += 50;
    for (const auto& component : c.problem.prior.components()) {
        sum += 300 + digits(component.weight);
        for (const double x : component.covariance.reshaped()) sum += 3 * digits(x);
    }
    sum += digits(c.state.v - 1);
    ModelCase copy = c;
    for_each_number(copy, [&](double& x) { sum += digits(x); });
    return sum;
}

}  // namespace lemmata::verify
