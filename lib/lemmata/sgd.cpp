#include <lemmata/error.hpp>
#include <lemmata/random_float.hpp>
#include <lemmata/sgd.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

namespace lemmata {
namespace {

constexpr Eigen::Index strip = 256;  // coordinates summed in single precision; L of them fit the first cache
constexpr std::int64_t most_chunks = 64;

// What a step reads, in the precision it is read in, padded with zeros to whole groups of the tape.
struct Model {
    Eigen::MatrixXf spikes;   // P x F
    Eigen::MatrixXf weights;  // P x H
    Eigen::VectorXd b;
    double v;
};

Eigen::MatrixXf padded(const Eigen::MatrixXd& x) {
    constexpr auto group = static_cast<Eigen::Index>(tape_group);
    Eigen::MatrixXf result = Eigen::MatrixXf::Zero((x.rows() + group - 1) / group * group, x.cols());
    result.topRows(x.rows()) = x.cast<float>();
    return result;
}

// How a prior is sampled: inverse of the cumulated weights, then a factor of the covariance.
struct Sampler {
    explicit Sampler(const Prior& prior) {
        double total = 0;
        for (const auto& component : prior.components()) {
            cumulated.push_back(total += component.weight);
            means.push_back(component.mean);
            factors.push_back(square_root_factor(component.covariance));
        }
    }
    [[nodiscard]] Eigen::VectorXd operator()(double u, const Eigen::VectorXd& normals) const {
        const auto at = std::upper_bound(cumulated.begin(), cumulated.end() - 1, u) - cumulated.begin();
        const auto k = static_cast<std::size_t>(at);
        return means[k] + factors[k] * normals;
    }
    std::vector<double> cumulated;
    std::vector<Eigen::VectorXd> means;
    std::vector<Eigen::MatrixXd> factors;
};

struct Sums {
    Eigen::MatrixXd k;  // P x H
    Eigen::VectorXd b;
    double v = 0;
    double loss = 0;
    double loss_squared = 0;
};

// One thread's view of a sequence: generates it, and adds its loss and gradient to Sums.
class Sequence {
public:
    Sequence(const Problem& problem, const SgdOptions& options, const Sampler& sampler, const Model& model)
        : problem_(problem),
          options_(options),
          sampler_(sampler),
          model_(model),
          x_(model.weights.rows(), problem.tokens),
          scores_(model.weights.cols(), problem.tokens) {}

    void accumulate(std::uint64_t step, std::int64_t number, Sums& sums) {
        draw(step, number);
        const Eigen::MatrixXd chi = scores_;
        const double heads = static_cast<double>(chi.rows());
        Eigen::VectorXd residual = -attend(problem_.activation, chi, model_.b, model_.v).colwise().sum() / heads;
        residual[relevant_] += 1;
        // y - yhat = sum_l residual_l X_l =: e, and the loss needs e . e, its gradient X_l . e.
        const auto [square, products] = correlate(residual.cast<float>());
        const double dimension = options_.dimension;
        const double loss = square / dimension;
        sums.loss += loss;
        sums.loss_squared += loss * loss;
        const Eigen::MatrixXd w = (-2 / (dimension * heads)) * products.transpose().replicate(chi.rows(), 1);
        const Pullback back = pull_back(problem_.activation, chi, model_.b, model_.v, w);
        const Eigen::MatrixXf toward = back.chi.transpose().cast<float>();  // L x H
        for_each_strip([&](Eigen::Index first, Eigen::Index size) {
            sums.k.middleRows(first, size) += (x_.middleRows(first, size) * toward).cast<double>();
        });
        sums.b += back.b;
        sums.v += back.v;
    }

private:
    template <typename Body>
    void for_each_strip(Body body) {
        for (Eigen::Index first = 0; first < x_.rows(); first += strip) body(first, std::min(strip, x_.rows() - first));
    }

    // X and its scores.
    void draw(std::uint64_t step, std::int64_t number) {
        const auto features = model_.spikes.cols();
        const auto per_sequence = static_cast<std::uint64_t>(features) + 2;
        const std::uint64_t index =
            step * static_cast<std::uint64_t>(options_.batch) + static_cast<std::uint64_t>(number);
        Eigen::VectorXd normals(features);
        fill_normal({normals.data(), static_cast<std::size_t>(features)}, options_.seed, Stream::sgd,
                    index * per_sequence + 2);
        std::array<double, 2> uniforms;
        fill_uniform(uniforms, options_.seed, Stream::sgd, index * per_sequence);
        relevant_ = static_cast<Eigen::Index>(uniforms[0] * static_cast<double>(problem_.tokens));
        const Eigen::VectorXf theta = sampler_(uniforms[1], normals).cast<float>();
        const Tape tape{options_.seed, Stream::tokens, static_cast<std::uint32_t>(step),
                        static_cast<std::uint32_t>(number)};
        scores_.setZero();
        for_each_strip([&](Eigen::Index first, Eigen::Index size) {
            auto block = x_.middleRows(first, size);
            const Eigen::Index inside = std::min(size, options_.dimension - first);
            for (Eigen::Index l = 0; l < block.cols(); ++l) {
                fill_normal(std::span<float>(block.col(l).data(), static_cast<std::size_t>(size)), tape,
                            static_cast<std::uint64_t>(l * x_.rows() + first));
                block.col(l).tail(size - inside).setZero();
            }
            block.col(relevant_).noalias() += model_.spikes.middleRows(first, size) * theta;
            const auto k = model_.weights.middleRows(first, size);
            for (Eigen::Index l = 0; l < block.cols(); ++l)
                for (Eigen::Index h = 0; h < k.cols(); ++h) scores_(h, l) += double{k.col(h).dot(block.col(l))};
        });
    }

    // e . e and X^T e for e = X residual.
    std::pair<double, Eigen::VectorXd> correlate(const Eigen::VectorXf& residual) {
        double square = 0;
        Eigen::VectorXd products = Eigen::VectorXd::Zero(x_.cols());
        for_each_strip([&](Eigen::Index first, Eigen::Index size) {
            const auto block = x_.middleRows(first, size);
            const Eigen::VectorXf e = block * residual;
            square += double{e.squaredNorm()};
            for (Eigen::Index l = 0; l < block.cols(); ++l) products[l] += double{block.col(l).dot(e)};
        });
        return {square, products};
    }

    const Problem& problem_;
    const SgdOptions& options_;
    const Sampler& sampler_;
    const Model& model_;
    Eigen::MatrixXf x_;       // P x L, one token after the other
    Eigen::MatrixXd scores_;  // H x L
    Eigen::Index relevant_ = 0;
};

// The symmetric root of p, or of its inverse.
Eigen::MatrixXd power(const Eigen::MatrixXd& p, double exponent) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(p);
    const Eigen::VectorXd powers = solver.eigenvalues().cwiseMax(0).array().pow(exponent);
    return solver.eigenvectors() * powers.asDiagonal() * solver.eigenvectors().transpose();
}

Eigen::MatrixXd normal_matrix(Eigen::Index rows, Eigen::Index columns, double deviation, std::uint64_t seed,
                              Stream stream) {
    Eigen::MatrixXd x(rows, columns);
    fill_normal({x.data(), static_cast<std::size_t>(x.size())}, seed, stream, 0);
    return deviation * x;
}

}  // namespace

void validate(const SgdOptions& options) {
    if (options.dimension < 1) throw InvalidInput("sgd.dimension", fmt::format("{}", options.dimension), "at least 1");
    if (options.batch < 1 || options.batch > (std::int64_t{1} << 32))
        throw InvalidInput("sgd.batch", fmt::format("{}", options.batch), "at least 1, at most 2^32");
    if (!(options.rate > 0) || !std::isfinite(options.rate))
        throw InvalidInput("sgd.rate", fmt::format("{}", options.rate), "a finite number > 0");
}

Eigen::MatrixXd hidden_spikes(int features, const SgdOptions& options) {
    validate(options);
    return normal_matrix(options.dimension, features, 1 / std::sqrt(options.dimension), options.seed, Stream::spikes);
}

SgdState sgd_start(int heads, double eta, const SgdOptions& options) {
    validate(options);
    if (heads < 1) throw InvalidInput("flow.heads", fmt::format("{}", heads), "at least 1");
    if (!(eta >= 0) || !std::isfinite(eta))
        throw InvalidInput("flow.eta", fmt::format("{}", eta), "a finite number >= 0");
    const double deviation = eta / std::sqrt(options.dimension);
    return {0, normal_matrix(options.dimension, heads, deviation, options.seed, Stream::initial_state),
            Eigen::VectorXd::Zero(heads), 1};
}

SgdState sgd_start_at(const State& state, const Eigen::MatrixXd& spikes, const SgdOptions& options) {
    validate(options);
    const Eigen::Index dimension = spikes.rows(), features = spikes.cols(), heads = state.m.rows();
    if (dimension < features + heads)
        throw InvalidInput("sgd.dimension", fmt::format("{}", dimension),
                           fmt::format("at least F + H = {}", features + heads));
    Eigen::MatrixXd directions(dimension, features + heads);
    directions << spikes, normal_matrix(dimension, heads, 1, options.seed, Stream::initial_state);
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(directions);
    const Eigen::MatrixXd basis = qr.householderQ() * Eigen::MatrixXd::Identity(dimension, features + heads);
    const Eigen::MatrixXd p = spikes.transpose() * spikes;
    return {0, spikes * p.ldlt().solve(state.m.transpose()) + basis.rightCols(heads) * state.r.transpose(), state.b,
            state.v};
}

Estimate sgd_step(const Problem& problem, const Eigen::MatrixXd& spikes, const SgdOptions& options, SgdState& state) {
    validate(options);
    if (state.steps >> 32U != 0) throw Unfinished("SGD: more than 2^32 steps");
    const Model model{padded(spikes), padded(state.k), state.b, state.v};
    const Sampler sampler(problem.prior);
    // The number of chunks is part of the result (it fixes the order of summation), so it depends on the batch alone.
    const std::int64_t chunks = std::min(most_chunks, (options.batch + 3) / 4);
    std::vector<Sums> parts(static_cast<std::size_t>(chunks));
    oneapi::tbb::parallel_for(std::int64_t{0}, chunks, [&](std::int64_t chunk) {
        Sums sums{Eigen::MatrixXd::Zero(model.weights.rows(), model.weights.cols()),
                  Eigen::VectorXd::Zero(state.b.size())};
        Sequence sequence(problem, options, sampler, model);
        for (std::int64_t i = chunk * options.batch / chunks; i < (chunk + 1) * options.batch / chunks; ++i)
            sequence.accumulate(state.steps, i, sums);
        parts[static_cast<std::size_t>(chunk)] = std::move(sums);
    });
    Sums total = std::move(parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i) {
        total.k += parts[i].k;
        total.b += parts[i].b;
        total.v += parts[i].v;
        total.loss += parts[i].loss;
        total.loss_squared += parts[i].loss_squared;
    }
    const double count = static_cast<double>(options.batch);
    const double step = options.rate / count;
    state.k -= step * total.k.topRows(options.dimension);
    state.b -= step * total.b;
    state.v -= step * total.v;
    ++state.steps;
    const double mean = total.loss / count;
    const double variance = std::max(total.loss_squared / count - mean * mean, 0.0);
    return {mean, std::sqrt(variance / std::max(count - 1, 1.0)), ErrorKind::standard};
}

Overlaps overlaps(const SgdState& state, const Eigen::MatrixXd& spikes) {
    return {state.k.transpose() * spikes, state.k.transpose() * state.k, spikes.transpose() * spikes};
}

Eigen::MatrixXd orthogonal_overlap(const Overlaps& o) {
    return o.q - o.m * o.p.ldlt().solve(o.m.transpose());
}

State order_parameters(const Overlaps& o, const Eigen::VectorXd& b, double v) {
    return {o.m * power(o.p, -0.5), power(orthogonal_overlap(o), 0.5), b, v};
}

Problem orthonormal_problem(const Problem& problem, const Eigen::MatrixXd& p) {
    const Eigen::MatrixXd root = power(p, 0.5);
    std::vector<Component> components = problem.prior.components();
    for (auto& component : components) {
        component.mean = root * component.mean;
        component.covariance = root * component.covariance * root;
    }
    return {problem.activation, problem.tokens, Prior::mixture(std::move(components))};
}

Eigen::MatrixXd overlap_with_spikes(const Eigen::MatrixXd& m_orthonormal, const Eigen::MatrixXd& p) {
    return m_orthonormal * power(p, 0.5);
}

}  // namespace lemmata
