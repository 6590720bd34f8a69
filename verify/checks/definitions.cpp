// Sec. II and the notation: eqs. (1)-(7), (17), (21). A definition cannot be false; what is checked is
// that the code computes the thing defined. The definitions are written down again, plainly, in
// written_model.hpp; the SGD code (its own random numbers, single precision, exponents shifted) and
// the activations of lib/ are held against them.
#include "checks/checks.hpp"
#include "checks/written_model.hpp"

#include <lemmata/random.hpp>
#include <lemmata/sgd.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata::verify::checks {
namespace {

// Mean over coordinates and spikes of a function of sqrt(D) k*, against its Gaussian value; the
// standard error is that of the Gaussian law claimed.
std::vector<Evidence> spikes(const Claim&, const Context& context) {
    SgdOptions options;
    options.dimension = 8000;
    options.seed = context.seed;
    constexpr int features = 60;
    const double D = options.dimension, pairs = features * (features - 1) / 2.0;
    const Eigen::MatrixXd k = hidden_spikes(features, options);
    const Eigen::MatrixXd p = k.transpose() * k;
    const double off = (p.squaredNorm() - p.diagonal().squaredNorm()) / 2;
    const auto moment = [&](const char* what, double expected, double measured, double error, double resolution) {
        return compare(Form::printed, "moments", fmt::format("{}, D={}, F={}", what, D, features), expected,
                       {measured, error, ErrorKind::standard}, resolution, context.seed);
    };
    return {moment("mean of k*_f.k*_f", 1, p.diagonal().mean(), std::sqrt(2 / (D * features)), 0.01),
            moment("mean of D^2 (k*_f)^4", 3, D * D * k.array().pow(4).mean(), std::sqrt(96 / (D * features)), 0.1),
            moment("mean of sqrt(D) k*_f", 0, std::sqrt(D) * k.mean(), std::sqrt(1 / (D * features)), 0.01),
            moment("mean of D (k*_f.k*_f')^2", 1, D * off / pairs, std::sqrt(2 / pairs), 0.2)};
}

struct Setting {
    Problem problem;
    SgdOptions options;
    Eigen::MatrixXd spikes;
    SgdState state;
};

Setting setting(Activation activation, int dimension, std::int64_t batch, std::uint64_t seed) {
    const Component wide{0.6, Eigen::Vector2d(1.2, -0.3), Eigen::Matrix2d::Identity()};
    Setting s{{activation, 3, Prior::mixture({wide, {0.4, Eigen::Vector2d(-0.5, 1.5), Eigen::Matrix2d::Zero()}})},
              {dimension, batch, 0.5, seed},
              {},
              {}};
    s.spikes = hidden_spikes(2, s.options);
    State at = state_at((Eigen::MatrixXd(2, 2) << 1.1, 0.3, -0.4, 0.9).finished());
    at.r << 0.5, 0.1, 0.1, 0.4;
    at.b = Eigen::Vector2d(0.3, -0.4);
    at.v = 1.4;
    s.state = sgd_start_at(at, s.spikes, s.options);
    return s;
}

// The loss of one large batch of SGD against the same quantity as written.
Evidence batch_loss(Activation activation, const Context& context) {
    Setting s = setting(activation, 48, 400'000, 10 + context.seed);
    const Estimate written =
        written_loss(s.problem, s.spikes, s.state.k, s.state.b, s.state.v,
                     context.tier == Tier::quick ? 40'000 : 400'000, 20 + context.seed, context.poll)
            .loss;
    Estimate batch = sgd_step(s.problem, s.spikes, s.options, s.state);
    batch.error = std::hypot(batch.error, written.error);
    return compare(Form::printed, "finite-D SGD against the formula as written",
                   fmt::format("loss of a batch, {}, D=48, L=3, H=2", name(activation)), written.value, batch,
                   context.tier == Tier::quick ? 0.02 * written.value : 0.01 * written.value, context.seed);
}

Check batch_check(const std::string& id, Activation activation) {
    return {id, {"finite-D SGD", "the formula as written"}, [activation](const Claim&, const Context& context) {
                return std::vector{batch_loss(activation, context)};
            }};
}

// One step of SGD is -rate times the gradient of its batch's loss: differences of that loss, same batch.
std::vector<Evidence> step(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    for (const Activation activation : all_activations) {
        context.poll();
        const Setting s = setting(activation, 24, 4000, 30 + context.seed);
        SgdState after = s.state;
        sgd_step(s.problem, s.spikes, s.options, after);
        const auto flat = [](const SgdState& x) {
            Eigen::VectorXd all(x.k.size() + x.b.size() + 1);
            all << x.k.reshaped(), x.b, x.v;
            return all;
        };
        const Eigen::VectorXd moved = (flat(s.state) - flat(after)) / s.options.rate;
        const auto loss_along = [&](const Eigen::VectorXd& direction, double by) {
            SgdState at = s.state;
            at.k += by * direction.head(at.k.size()).reshaped(at.k.rows(), at.k.cols());
            at.b += by * direction.segment(at.k.size(), at.b.size());
            at.v += by * direction[direction.size() - 1];
            return sgd_step(s.problem, s.spikes, s.options, at).value;
        };
        Eigen::VectorXd random(moved.size());
        fill_normal({random.data(), static_cast<std::size_t>(random.size())}, context.seed, Stream::search, 0);
        // Along the step itself, along the biases and the scale, and across.
        Eigen::VectorXd tail = moved;
        tail.head(s.state.k.size()).setZero();
        const Eigen::VectorXd across = random.normalized() * moved.norm() + moved;
        for (const Eigen::VectorXd& chosen : {moved, tail, across}) {
            if (!(chosen.norm() > 0)) continue;  // softmax has no biases to move
            const Eigen::VectorXd u = chosen.normalized();
            const auto central = [&](double h) { return (loss_along(u, h) - loss_along(u, -h)) / (2 * h); };
            const double fine = (4 * central(0.02) - central(0.04)) / 3,
                         coarse = (4 * central(0.04) - central(0.08)) / 3;
            // Rounding: tokens and scores are single precision, 6e-8 relative, over the step of the difference.
            const Estimate slope{fine, std::abs(fine - coarse) + 1e-5};
            evidence.push_back(compare(Form::printed, "differences of the batch's loss",
                                       fmt::format("slope of the loss along the step, {}, D=24", name(activation)),
                                       moved.dot(u), slope, 0.01 * moved.norm(), context.seed));
        }
    }
    return evidence;
}

Eigen::MatrixXd random_scores(Eigen::Index heads, Eigen::Index tokens, std::uint64_t seed, std::uint64_t trial) {
    Eigen::MatrixXd chi(heads, tokens);
    fill_normal({chi.data(), static_cast<std::size_t>(chi.size())}, seed, Stream::search, 1000 * trial);
    return 3 * chi;
}

// lib's activation, which shifts exponents, against the definition. Each is right to a few ulp of the
// exponentials, whose arguments are below 20.
std::vector<Evidence> activation(Activation wanted, const Context& context) {
    std::vector<Evidence> evidence;
    for (std::uint64_t trial = 0; trial < 4; ++trial) {
        const Eigen::Index heads = 1 + static_cast<Eigen::Index>(trial), tokens = 2 + 2 * heads;
        const Eigen::MatrixXd chi = random_scores(heads, tokens, context.seed, trial);
        const Eigen::VectorXd b = random_scores(heads, 1, context.seed, 100 + trial);
        const double v = 0.5 + static_cast<double>(trial);
        const Eigen::MatrixXd written = written_activation(wanted, chi, b, v), ours = attend(wanted, chi, b, v);
        Eigen::Index row = 0, column = 0;
        (ours - written).cwiseAbs().maxCoeff(&row, &column);
        evidence.push_back(
            compare(Form::printed, "the formula as written",
                    fmt::format("sigma, entry farthest off, {}, H={}, L={}", name(wanted), heads, tokens),
                    written(row, column), {ours(row, column), 1e-13 * (1 + v)}, 1e-3, context.seed));
    }
    return evidence;
}

// Eq. (17): the sum over heads of Bayes-softmax as one fraction.
std::vector<Evidence> one_fraction(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    for (std::uint64_t trial = 0; trial < 4; ++trial) {
        const Eigen::Index heads = 1 + static_cast<Eigen::Index>(trial), tokens = 3;
        const Eigen::MatrixXd chi = random_scores(heads, tokens, context.seed, trial);
        const Eigen::VectorXd b = random_scores(heads, 1, context.seed, 100 + trial);
        const Eigen::MatrixXd w = (chi.colwise() + b).array().exp();
        const Eigen::VectorXd fraction = w.colwise().sum().transpose() / w.sum();
        const Eigen::VectorXd mean = attend(Activation::bayes_softmax, chi, b, 1).colwise().mean();
        for (Eigen::Index l = 0; l < tokens; ++l)
            evidence.push_back(compare(Form::printed, "pointwise",
                                       fmt::format("weight of token {}, H={}", l + 1, heads), fraction[l],
                                       {mean[l], 1e-13}, 1e-4, context.seed));
    }
    return evidence;
}

// Eq. (21): the derivatives in the scores that gradients use, against differences of sigma.
std::vector<Evidence> derivative(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    for (const Activation wanted : all_activations) {
        const Eigen::MatrixXd chi = random_scores(2, 3, context.seed, 7) / 3;
        const Eigen::VectorXd b = Eigen::Vector2d(0.3, -0.2);
        const auto sigma = [&](double by) {
            Eigen::MatrixXd moved = chi;
            moved(0, 1) += by;
            return written_activation(wanted, moved, b, 1.3);
        };
        const auto central = [&](double h) -> Eigen::MatrixXd { return (sigma(h) - sigma(-h)) / (2 * h); };
        const Eigen::MatrixXd fine = (4 * central(1e-3) - central(2e-3)) / 3;
        for (Eigen::Index h = 0; h < 2; ++h) {
            Eigen::MatrixXd pick = Eigen::MatrixXd::Zero(2, 3);
            pick(h, 2) = 1;
            const double ours = pull_back(wanted, chi, b, 1.3, pick).chi(0, 1);
            // Truncation h^4 times a fifth derivative below 100, rounding 1e-16/h.
            evidence.push_back(compare(Form::printed, "differences",
                                       fmt::format("d sigma(h={})_3 / d chi_12, {}", h + 1, name(wanted)), fine(h, 2),
                                       {ours, 1e-10}, 1e-5, context.seed));
        }
    }
    return evidence;
}

// softmax-1 with bias b_h is the original one, e^b = 1, at scores chi_h - b_h.
std::vector<Evidence> original(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    for (std::uint64_t trial = 0; trial < 3; ++trial) {
        const Eigen::MatrixXd chi = random_scores(3, 4, context.seed, trial);
        const Eigen::VectorXd b = random_scores(3, 1, context.seed, 100 + trial);
        const Eigen::MatrixXd shifted = chi.colwise() - b;
        const Eigen::MatrixXd with = attend(Activation::softmax_1, chi, b, 1.5);
        const Eigen::MatrixXd without = attend(Activation::softmax_1, shifted, Eigen::VectorXd::Zero(3), 1.5);
        for (Eigen::Index h = 0; h < 3; ++h)
            evidence.push_back(compare(Form::printed, "pointwise",
                                       fmt::format("sigma(h={})_1 with the bias moved", h + 1), without(h, 0),
                                       {with(h, 0), 1e-13}, 1e-4, context.seed));
    }
    return evidence;
}

// The sum over tokens of softmax-1 lies between 0 and v, and reaches down to both ends; softmax's is 1.
std::vector<Evidence> deactivates(const Claim&, const Context& context) {
    const Eigen::MatrixXd chi = random_scores(1, 5, context.seed, 0);
    const auto total = [&](Activation a, double b) { return attend(a, chi, Eigen::VectorXd::Constant(1, b), 1).sum(); };
    return {at_most(Form::printed, "pointwise", "sum_l sigma_l of softmax-1 at b=30", 1e-3,
                    {total(Activation::softmax_1, 30), 1e-15}, context.seed),
            at_least(Form::printed, "pointwise", "sum_l sigma_l of softmax-1 at b=-30", 0.999,
                     {total(Activation::softmax_1, -30), 1e-15}, context.seed),
            compare(Form::printed, "pointwise", "sum_l sigma_l of softmax at any b", 1,
                    {total(Activation::softmax, 30), 1e-14}, 1e-6, context.seed)};
}

// Sec. II.2: a cross-attention layer with a fixed query is one head of the model.
std::vector<Evidence> cross_attention(const Claim&, const Context& context) {
    constexpr int dimension = 40, rank = 6, tokens = 5;
    const double scaling = 1 / std::sqrt(double(dimension));
    const auto random = [&](int rows, int columns, std::uint64_t which) {
        Eigen::MatrixXd a(rows, columns);
        fill_normal({a.data(), static_cast<std::size_t>(a.size())}, context.seed, Stream::search, 10'000 * which);
        return a;
    };
    const Eigen::MatrixXd X = random(tokens, dimension, 1), K = random(dimension, rank, 2),
                          Q = random(dimension, rank, 3);
    const Eigen::VectorXd a = Q.transpose() * random(dimension, 1, 4);
    const auto output = [&](const Eigen::VectorXd& scores) -> Eigen::VectorXd {
        const Eigen::MatrixXd chi = scores.transpose();
        return X.transpose() *
               written_activation(Activation::softmax, chi, Eigen::VectorXd::Zero(1), 1).row(0).transpose();
    };
    Eigen::VectorXd k = Eigen::VectorXd::Zero(dimension);
    for (int i = 0; i < rank; ++i) k += scaling * a[i] * K.col(i);
    const Eigen::VectorXd layer = output(scaling * ((X * K) * a)), head = output(X * k);
    std::vector<Evidence> evidence;
    for (const Eigen::Index i : {0, 1, 2})
        evidence.push_back(
            compare(Form::printed, "pointwise",
                    fmt::format("output {} of the layer, D={}, p={}, L={}", i + 1, dimension, rank, tokens), head[i],
                    {layer[i], 1e-10}, 1e-3, context.seed));
    return evidence;
}

// Whether one head's weights change when the scores of another do.
std::vector<Evidence> interaction(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    const Eigen::MatrixXd chi = random_scores(2, 4, context.seed, 3);
    Eigen::MatrixXd moved = chi;
    moved.row(1).array() += 1;
    const Eigen::Vector2d b(0.3, -0.4);
    for (const Activation wanted : all_activations) {
        const double change = (attend(wanted, moved, b, 1.3).row(0) - attend(wanted, chi, b, 1.3).row(0)).norm();
        const std::string quantity =
            fmt::format("change of head 1's weights when the scores of head 2 grow by 1, {}", name(wanted));
        evidence.push_back(wanted == Activation::bayes_softmax
                               ? at_least(Form::printed, "pointwise", quantity, 1e-3, {change, 1e-14}, context.seed)
                               : at_most(Form::printed, "pointwise", quantity, 1e-12, {change, 1e-14}, context.seed));
    }
    return evidence;
}

}  // namespace

std::vector<Check> definitions() {
    const auto activation_check = [](const std::string& id, Activation a) {
        return Check{id, {"the formula as written"}, [a](const Claim&, const Context& c) { return activation(a, c); }};
    };
    return {{"eq-1", {"moments"}, spikes},
            batch_check("eq-2", Activation::softmax),
            batch_check("eq-3", Activation::bayes_softmax),
            activation_check("eq-4", Activation::bayes_softmax),
            {"eq-5", {"differences of the batch's loss"}, step},
            batch_check("eq-6", Activation::softmax_1),
            activation_check("text/softmax", Activation::softmax),
            activation_check("text/softmax-1", Activation::softmax_1),
            {"text/softmax-1-original", {"pointwise"}, original},
            {"text/softmax-1-deactivates", {"pointwise"}, deactivates},
            {"text/cross-attention", {"pointwise"}, cross_attention},
            {"text/heads-interact", {"pointwise"}, interaction},
            {"eq-17", {"pointwise"}, one_fraction},
            {"eq-21", {"differences"}, derivative}};
}

}  // namespace lemmata::verify::checks
