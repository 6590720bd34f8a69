// Prop. III.1: the loss depends on the weights through the order parameters only, eqs. (7)-(11) and
// (18)-(20). Sequences in D dimensions, as written (written_model.hpp), against the reduced loss:
// in the orthonormal basis of the spikes the scores are exactly Gaussian at every D, so the average of
// the reduced integrand must be the reduced loss to within its standard error; what the full loss adds
// to it must vanish like 1/D.
#include "checks/checks.hpp"
#include "checks/written_model.hpp"

#include <lemmata/fit.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/random.hpp>
#include <lemmata/sgd.hpp>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>

namespace lemmata::verify::checks {
namespace {

Prior mixed_prior() {
    const Component wide{0.6, Eigen::Vector2d(1.2, -0.3), Eigen::Matrix2d::Identity()};
    return Prior::mixture({wide, {0.4, Eigen::Vector2d(-0.5, 1.5), Eigen::Matrix2d::Zero()}});
}

// Weights in D dimensions with order parameters of size one.
struct Weights {
    Eigen::MatrixXd spikes;
    SgdState state;
};

Weights weights(int dimension, std::uint64_t seed, std::uint64_t directions) {
    SgdOptions options{dimension, 1, 0.1, seed};
    Weights w{hidden_spikes(2, options), {}};
    State at = state_at((Eigen::MatrixXd(2, 2) << 1.1, 0.3, -0.4, 0.9).finished());
    at.r << 0.9, 0.2, 0.2, 0.6;
    at.b = Eigen::Vector2d(0.3, -0.4);
    at.v = 1.4;
    options.seed = directions;
    w.state = sgd_start_at(at, w.spikes, options);
    return w;
}

WrittenLoss written(const Problem& problem, const Weights& w, int sequences, std::uint64_t seed,
                    const Context& context) {
    return written_loss(problem, w.spikes, w.state.k, w.state.b, w.state.v, sequences, seed, context.poll);
}

int sequences(const Context& context) {
    return context.tier == Tier::quick ? 150'000 : 600'000;
}

// The loss of the order parameters: in the orthonormal basis of the spikes, with no correction in 1/D.
Estimate reduced_loss(const Problem& problem, const Weights& w) {
    const Overlaps o = overlaps(w.state, w.spikes);
    return loss_exact(orthonormal_problem(problem, o.p), order_parameters(o, w.state.b, w.state.v)).loss;
}

std::vector<Evidence> reparameterized(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    for (const Activation activation : all_activations) {
        const Problem problem{activation, 3, mixed_prior()};
        const Weights w = weights(16, 40 + context.seed, 41 + context.seed);
        const Estimate exact = reduced_loss(problem, w);
        Estimate sampled = written(problem, w, sequences(context), 42 + context.seed, context).reduced;
        sampled.error += margin(exact) / 4;
        evidence.push_back(
            compare(Form::printed, "sequences in D dimensions against exact quadrature",
                    fmt::format("E sum_l (delta - mean sigma)^2, {}, D=16, L=3, H=F=2", name(activation)), exact.value,
                    sampled, 0.01 * exact.value, context.seed));
    }
    return evidence;
}

// Eq. (7) against eq. (10): the excess at 4 D is at most half of that at D.
std::vector<Evidence> limit(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    for (const Activation activation : all_activations) {
        const Problem problem{activation, 3, mixed_prior()};
        const auto excess = [&](int dimension) {
            const Weights w = weights(dimension, 50 + context.seed, 51 + context.seed);
            return written(problem, w, sequences(context) / 4, 52 + context.seed, context).excess;
        };
        const Estimate small = excess(16), large = excess(64);
        const Estimate ratio{std::abs(large.value), large.error + 0.5 * small.error, ErrorKind::standard};
        evidence.push_back(
            at_most(Form::printed, "sequences in D dimensions",
                    fmt::format("|loss (7) minus loss (10)| at D=64, half of that at D=16, {}", name(activation)),
                    0.5 * std::abs(small.value), ratio, context.seed));
    }
    return evidence;
}

// Two sets of weights with the same overlaps and nothing else in common.
std::vector<Evidence> sufficient(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    for (const Activation activation : all_activations) {
        const Problem problem{activation, 3, mixed_prior()};
        const Weights one = weights(12, 60 + context.seed, 61), two = weights(12, 60 + context.seed, 62);
        const Estimate a = written(problem, one, sequences(context), 63 + context.seed, context).loss;
        Estimate b = written(problem, two, sequences(context), 64 + context.seed, context).loss;
        b.error = std::hypot(a.error, b.error);
        evidence.push_back(compare(Form::printed, "sequences in D dimensions",
                                   fmt::format("loss at two k with the same overlaps, {}, D=12", name(activation)),
                                   a.value, b, 0.02 * a.value, context.seed));
    }
    return evidence;
}

// Eq. (11) as printed: xi_h' is one number for all tokens.
Estimate one_noise_for_all_tokens(const Problem& problem, const State& state, int samples, std::uint64_t seed) {
    const Eigen::Index heads = state.heads(), features = state.features();
    const Eigen::MatrixXd axes =
        Eigen::MatrixXd::Identity(features, features);  // chi* directly: D = F orthonormal spikes
    const SequenceSource source(problem, axes, seed);
    Eigen::VectorXd losses(samples), xi(heads);
    for (int i = 0; i < samples; ++i) {
        const Sequence sequence = source.draw(static_cast<std::uint64_t>(i));
        fill_normal({xi.data(), static_cast<std::size_t>(heads)}, seed, Stream::padding,
                    static_cast<std::uint64_t>(i * heads));
        Eigen::MatrixXd chi = state.m * sequence.tokens.transpose();
        chi.colwise() += state.r * xi;
        Eigen::VectorXd missed = -written_activation(problem.activation, chi, state.b, state.v).colwise().mean();
        missed[sequence.relevant] += 1;
        losses[i] = missed.squaredNorm();
    }
    return mean_of(losses);
}

std::vector<Evidence> scores(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    for (const Activation activation : all_activations) {
        const Problem problem{activation, 3, mixed_prior()};
        const Weights w = weights(16, 40 + context.seed, 41 + context.seed);
        const Estimate truth = written(problem, w, sequences(context), 42 + context.seed, context).reduced;
        const Overlaps o = overlaps(w.state, w.spikes);
        const Problem basis = orthonormal_problem(problem, o.p);
        const State state = order_parameters(o, w.state.b, w.state.v);
        const std::string quantity = fmt::format("loss, {}, L=3, H=F=2", name(activation));
        Estimate printed = one_noise_for_all_tokens(basis, state, sequences(context), 70 + context.seed);
        printed.error = std::hypot(printed.error, truth.error);
        evidence.push_back(compare(Form::printed, "the formula as written against sequences in D dimensions",
                                   quantity + ", xi without a token index", truth.value, printed, 0.01 * truth.value,
                                   context.seed));
        Estimate exact = loss_exact(basis, state).loss;
        exact = {exact.value, truth.error + margin(exact) / 4, ErrorKind::standard};
        evidence.push_back(compare(Form::corrected, "exact quadrature against sequences in D dimensions",
                                   quantity + ", xi with a token index", truth.value, exact, 0.01 * truth.value,
                                   context.seed));
    }
    return evidence;
}

std::vector<Evidence> overlap_definitions(const Claim&, const Context& context) {
    const Weights w = weights(200, 80 + context.seed, 81 + context.seed);
    const Overlaps o = overlaps(w.state, w.spikes);
    double m = 0, q = 0, p = 0;
    for (Eigen::Index i = 0; i < 200; ++i) {
        m += w.state.k(i, 0) * w.spikes(i, 1);
        q += w.state.k(i, 0) * w.state.k(i, 1);
        p += w.spikes(i, 0) * w.spikes(i, 1);
    }
    const auto same = [&](const char* what, double expected, double ours) {
        return compare(Form::printed, "scalar products", fmt::format("{}, D=200", what), expected, {ours, 1e-13}, 1e-4,
                       context.seed);
    };
    return {same("m_12 = k_1.k*_2", m, o.m(0, 1)), same("q_12 = k_1.k_2", q, o.q(0, 1)),
            same("p_12 = k*_1.k*_2", p, o.p(0, 1))};
}

// q - m p^-1 m' is the Gram matrix of what is left of the heads after projecting out the spikes.
std::vector<Evidence> orthogonal_part(const Claim&, const Context& context) {
    const Weights w = weights(200, 80 + context.seed, 81 + context.seed);
    const Overlaps o = overlaps(w.state, w.spikes);
    const Eigen::MatrixXd Q = w.spikes.householderQr().householderQ() * Eigen::MatrixXd::Identity(200, 2);
    const Eigen::MatrixXd rest = w.state.k - Q * (Q.transpose() * w.state.k);
    const Eigen::MatrixXd gram = rest.transpose() * rest;
    const Eigen::MatrixXd R = o.q - o.m * o.p.inverse() * o.m.transpose();
    const Eigen::MatrixXd root = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(R).operatorSqrt();
    const State ours = order_parameters(o, w.state.b, w.state.v);
    std::vector<Evidence> evidence;
    for (Eigen::Index h = 0; h < 2; ++h) {
        evidence.push_back(compare(Form::printed, "projection", fmt::format("(r r)_{}2, D=200", h + 1), gram(h, 1),
                                   {(root * root)(h, 1), 1e-13}, 1e-4, context.seed));
        evidence.push_back(compare(Form::printed, "projection", fmt::format("r_{}2, D=200", h + 1), root(h, 1),
                                   {ours.r(h, 1), 1e-12}, 1e-4, context.seed));
    }
    // p -> I: entries of p - I are of order D^-1/2.
    for (const int dimension : {1000, 100'000}) {
        const SgdOptions options{dimension, 1, 0.1, 80 + context.seed};
        const Eigen::MatrixXd spikes = hidden_spikes(5, options);
        const Eigen::MatrixXd p = spikes.transpose() * spikes;
        const double off = (p - Eigen::MatrixXd::Identity(5, 5)).cwiseAbs().maxCoeff();
        // Fifteen normal entries, of variance 2/D at most, beyond six standard deviations: 3e-8.
        evidence.push_back(at_most(Form::printed, "spikes", fmt::format("largest entry of p - I, D={}, F=5", dimension),
                                   6 * std::sqrt(2.0 / dimension), {off, 1e-12}, context.seed));
    }
    return evidence;
}

std::vector<Evidence> in_the_span(const Claim&, const Context& context) {
    Weights w = weights(200, 80 + context.seed, 81 + context.seed);
    w.state.k = w.spikes * (Eigen::MatrixXd(2, 2) << 1.1, 0.3, -0.4, 0.9).finished();
    const double inside = orthogonal_overlap(overlaps(w.state, w.spikes)).cwiseAbs().maxCoeff();
    w.state.k(0, 0) += 0.1;
    const double outside = orthogonal_overlap(overlaps(w.state, w.spikes)).cwiseAbs().maxCoeff();
    return {at_most(Form::printed, "projection", "largest entry of R for heads in the span of the spikes", 1e-10,
                    {inside, 1e-13}, context.seed),
            at_least(Form::printed, "projection", "the same with one coordinate moved by 0.1", 1e-3, {outside, 1e-13},
                     context.seed)};
}

// Eq. (20) for orthonormal spikes: with k_perp = r^-1 (k - m k*) orthonormal and orthogonal to the spikes.
std::vector<Evidence> decomposition(const Claim&, const Context& context) {
    const Weights w = weights(200, 80 + context.seed, 81 + context.seed);
    const Eigen::MatrixXd spikes = w.spikes.householderQr().householderQ() * Eigen::MatrixXd::Identity(200, 2);
    const Overlaps o = overlaps(w.state, spikes);
    const State at = order_parameters(o, w.state.b, w.state.v);
    const Eigen::MatrixXd rest = (w.state.k - spikes * at.m.transpose()).transpose();  // H x D
    const Eigen::MatrixXd perpendicular = at.r.ldlt().solve(rest);
    const Problem problem{Activation::softmax, 3, mixed_prior()};
    const Eigen::MatrixXd X = SequenceSource(problem, spikes, context.seed).draw(0).tokens;
    const Eigen::MatrixXd chi = X * w.state.k;
    const Eigen::MatrixXd rebuilt = X * spikes * at.m.transpose() + X * perpendicular.transpose() * at.r.transpose();
    const double orthonormal =
        (perpendicular * perpendicular.transpose() - Eigen::MatrixXd::Identity(2, 2)).cwiseAbs().maxCoeff();
    const double crossed = (perpendicular * spikes).cwiseAbs().maxCoeff();
    return {compare(Form::printed, "projection", "a score of a random token, D=200", chi(1, 1), {rebuilt(1, 1), 1e-11},
                    1e-4, context.seed),
            at_most(Form::printed, "projection", "k_perp.k_perp' - delta, largest", 1e-9, {orthonormal, 1e-12},
                    context.seed),
            at_most(Form::printed, "projection", "k_perp.k*, largest", 1e-9, {crossed, 1e-12}, context.seed)};
}

}  // namespace

std::vector<Check> prop_iii1() {
    const std::string simulated = "sequences in D dimensions";
    return {{"eq-7", {simulated}, limit},
            {"prop-III.1/eq-8", {"scalar products"}, overlap_definitions},
            {"prop-III.1/eq-9", {"projection"}, orthogonal_part},
            {"prop-III.1/eq-10", {simulated, "exact quadrature"}, reparameterized},
            {"prop-III.1/eq-11", {simulated, "exact quadrature", "the formula as written"}, scores},
            {"prop-III.1/sufficient", {simulated}, sufficient},
            {"prop-III.1/eq-20", {"projection"}, decomposition},
            {"text/r-zero-in-span", {"projection"}, in_the_span}};
}

}  // namespace lemmata::verify::checks
