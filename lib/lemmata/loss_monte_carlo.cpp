#include <lemmata/error.hpp>
#include <lemmata/loss_monte_carlo.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <mutex>

namespace lemmata {
namespace {

using Lanes = Eigen::Array<double, tile_width, 1>;  // one number for each sequence of a tile

// Loss and gradient of one tile, averaged over its 64 sequences.
class TileKernel {
public:
    TileKernel(const Problem& problem, const State& state, bool gradient)
        : activation_(problem.activation),
          tokens_(problem.tokens),
          heads_(state.heads()),
          gradient_(gradient),
          mixing_(state.m.cols() + heads_, heads_),
          b_(state.b),
          v_(state.v),
          p_(tile_width * tokens_, heads_),
          error_(tile_width, tokens_),
          sink_(tile_width, heads_) {
        mixing_ << state.m.transpose(), state.r.transpose();
    }

    // Entry 0: the loss; then, if asked for, the gradient as flatten() orders it.
    void evaluate(const Eigen::MatrixXd& inputs, Eigen::ArrayXd& out) {
        p_.noalias() = inputs * mixing_;
        if (activation_ == Activation::bayes_softmax)
            one_race();
        else
            race_per_head();
        out.resize(gradient_ ? 2 + mixing_.size() + heads_ : 1);
        out[0] = output_error() / tile_width;
        if (gradient_) pull_back(inputs, out);
    }

private:
    auto lanes(Eigen::Index l, Eigen::Index h) {
        return Eigen::Map<Lanes, Eigen::AlignedMax>(p_.col(h).data() + tile_width * l);
    }

    // Scores become probabilities, head by head; softmax-1 has a sink of score b_h.
    void race_per_head() {
        const bool has_sink = activation_ == Activation::softmax_1;
        for (Eigen::Index h = 0; h < heads_; ++h) {
            Lanes top = lanes(0, h);
            for (Eigen::Index l = 1; l < tokens_; ++l) top = top.max(lanes(l, h));
            if (has_sink) top = top.max(b_[h]);
            Lanes total = Lanes::Zero();
            if (has_sink) {
                sink_.col(h) = (b_[h] - top).exp();
                total = sink_.col(h);
            }
            for (Eigen::Index l = 0; l < tokens_; ++l) {
                lanes(l, h) = (lanes(l, h) - top).exp();
                total += lanes(l, h);
            }
            const Lanes inverse = total.inverse();
            for (Eigen::Index l = 0; l < tokens_; ++l) lanes(l, h) *= inverse;
            if (has_sink) sink_.col(h) *= inverse;
        }
    }

    // Bayes-softmax: one normalisation for all heads.
    void one_race() {
        Lanes top = lanes(0, 0) + b_[0];
        for (Eigen::Index h = 0; h < heads_; ++h)
            for (Eigen::Index l = 0; l < tokens_; ++l) top = top.max(lanes(l, h) + b_[h]);
        Lanes total = Lanes::Zero();
        for (Eigen::Index h = 0; h < heads_; ++h)
            for (Eigen::Index l = 0; l < tokens_; ++l) {
                lanes(l, h) = (lanes(l, h) + b_[h] - top).exp();
                total += lanes(l, h);
            }
        const Lanes inverse = total.inverse();
        for (Eigen::Index h = 0; h < heads_; ++h)
            for (Eigen::Index l = 0; l < tokens_; ++l) lanes(l, h) *= inverse;
    }

    // sigma_hl / H = weight_ p_hl. Fills error_ = (1/H) sum_h sigma_hl - delta_{l,eps}; returns the
    // sum of its squares.
    double output_error() {
        switch (activation_) {
            case Activation::softmax:
                weight_ = 1.0 / heads_;
                break;
            case Activation::softmax_1:
                weight_ = v_ / heads_;
                break;
            case Activation::bayes_softmax:
                weight_ = 1.0;
                break;
        }
        Lanes loss = Lanes::Zero();
        for (Eigen::Index l = 0; l < tokens_; ++l) {
            Lanes sum = lanes(l, 0);
            for (Eigen::Index h = 1; h < heads_; ++h) sum += lanes(l, h);
            error_.col(l) = weight_ * sum - (l == 0 ? 1.0 : 0.0);
            loss += error_.col(l).square();
        }
        return loss.sum();
    }

    // p_ becomes d(loss)/d(score); the rest is a matrix product. As in activation.cpp's pullback:
    // p (w - mean of w under p), with w = 2 error.
    void pull_back(const Eigen::MatrixXd& inputs, Eigen::ArrayXd& out) {
        const double factor = 2 * weight_ / tile_width;
        const Eigen::Index features = mixing_.rows() - heads_;
        auto b = out.segment(1 + mixing_.size(), heads_);
        double& v = out[out.size() - 1];
        b.setZero();
        v = 0;
        Lanes common = Lanes::Zero();
        if (activation_ == Activation::bayes_softmax)
            for (Eigen::Index h = 0; h < heads_; ++h) common += mean_error(h);
        for (Eigen::Index h = 0; h < heads_; ++h) {
            const Lanes mean = activation_ == Activation::bayes_softmax ? common : mean_error(h);
            if (activation_ == Activation::softmax_1) {
                b[h] = -factor * (sink_.col(h) * mean).sum();
                v += 2.0 / (heads_ * tile_width) * mean.sum();
            }
            Lanes sum = Lanes::Zero();
            for (Eigen::Index l = 0; l < tokens_; ++l) {
                lanes(l, h) *= error_.col(l) - mean;
                sum += lanes(l, h);
            }
            if (activation_ == Activation::bayes_softmax) b[h] = factor * sum.sum();
        }
        Eigen::Map<Eigen::MatrixXd>(out.data() + 1, heads_, features).noalias() =
            factor * (p_.transpose() * inputs.leftCols(features));
        Eigen::Map<Eigen::MatrixXd>(out.data() + 1 + heads_ * features, heads_, heads_).noalias() =
            factor * (p_.transpose() * inputs.rightCols(heads_));
    }

    Lanes mean_error(Eigen::Index h) {
        Lanes mean = lanes(0, h) * error_.col(0);
        for (Eigen::Index l = 1; l < tokens_; ++l) mean += lanes(l, h) * error_.col(l);
        return mean;
    }

    Activation activation_;
    Eigen::Index tokens_;
    int heads_;
    bool gradient_;
    Eigen::MatrixXd mixing_;  // (F + H) x H: scores = inputs * mixing
    Eigen::VectorXd b_;
    double v_;
    double weight_ = 1;
    Eigen::MatrixXd p_;  // 64 L x H: scores, then probabilities, then derivatives
    Eigen::Array<double, tile_width, Eigen::Dynamic> error_;
    Eigen::Array<double, tile_width, Eigen::Dynamic> sink_;
};

// Mean and spread of independent observations, entry by entry (Welford; Chan's merge).
struct Moments {
    double count = 0;
    Eigen::ArrayXd mean;
    Eigen::ArrayXd squares;  // sum of squared deviations

    void add(const Eigen::ArrayXd& x) {
        if (count == 0) {
            mean = x;
            squares = Eigen::ArrayXd::Zero(x.size());
            count = 1;
            return;
        }
        count += 1;
        const Eigen::ArrayXd delta = x - mean;
        mean += delta / count;
        squares += delta * (x - mean);
    }

    void merge(const Moments& other) {
        if (other.count == 0) return;
        if (count == 0) {
            *this = other;
            return;
        }
        const double total = count + other.count;
        const Eigen::ArrayXd delta = other.mean - mean;
        mean += delta * (other.count / total);
        squares += other.squares + delta.square() * (count * other.count / total);
        count = total;
    }

    // Standard error of the mean, widened so that 4 of them have the confidence of 4 sigmas.
    [[nodiscard]] Eigen::ArrayXd standard_error() const {
        if (count < 2) return Eigen::ArrayXd::Constant(mean.size(), std::numeric_limits<double>::infinity());
        const double tail = cdf(boost::math::normal_distribution<>(), -4.0);
        const double widening = -quantile(boost::math::students_t_distribution<>(count - 1), tail) / 4;
        return widening * (squares / (count * (count - 1))).sqrt();
    }
};

std::string method_name(const Samples& samples) {
    switch (samples.sampling()) {
        case Sampling::plain:
            return "monte-carlo";
        case Sampling::antithetic:
            return "monte-carlo (antithetic)";
        case Sampling::sobol:
            break;
    }
    const auto padded = samples.padded();
    return padded == 0 ? "monte-carlo (sobol)"
                       : fmt::format("monte-carlo (sobol, {} coordinates beyond the generator's are plain)", padded);
}

}  // namespace

LossEstimate loss_monte_carlo(const Problem& problem, const State& state, const Samples& samples, bool gradient,
                              const Progress& progress) {
    validate(problem, state);
    if (samples.tokens() != problem.tokens || samples.heads() != state.heads())
        throw InvalidInput("samples", fmt::format("made for L = {}, H = {}", samples.tokens(), samples.heads()),
                           fmt::format("L = {}, H = {}", problem.tokens, state.heads()));

    // A task handles whole batches, or a piece of one, always the same pieces.
    constexpr std::int64_t tiles_per_task = 32;
    const std::int64_t batch = samples.tiles_per_batch();
    const std::int64_t tasks_per_batch = batch == 1 ? 1 : (batch + tiles_per_task - 1) / tiles_per_task;
    const std::int64_t stride = batch == 1 ? tiles_per_task : batch;
    const std::int64_t tasks = (samples.tiles() + stride - 1) / stride * tasks_per_batch;
    std::vector<Moments> results(static_cast<std::size_t>(tasks));

    struct Workspace {
        TileKernel kernel;
        Eigen::MatrixXd inputs;
        Eigen::ArrayXd value;
    };
    tbb::enumerable_thread_specific<Workspace> workspaces([&] {
        return Workspace{TileKernel(problem, state, gradient), {}, {}};
    });
    std::mutex reporting;
    std::int64_t done = 0;
    tbb::parallel_for(std::int64_t{0}, tasks, [&](std::int64_t task) {
        auto& [kernel, inputs, value] = workspaces.local();
        const std::int64_t begin = task / tasks_per_batch * stride + task % tasks_per_batch * tiles_per_task;
        const std::int64_t end =
            std::min({begin + tiles_per_task, (task / tasks_per_batch + 1) * stride, samples.tiles()});
        Moments moments;
        for (std::int64_t tile = begin; tile < end; ++tile) {
            if (!samples.stored()) samples.draw(tile, inputs);
            kernel.evaluate(samples.stored() ? samples.view(tile) : inputs, value);
            moments.add(value);
        }
        results[static_cast<std::size_t>(task)] = std::move(moments);
        if (progress) {
            const std::lock_guard lock(reporting);
            progress(static_cast<double>(++done) / static_cast<double>(tasks));
        }
    });

    Moments total;
    if (batch == 1) {
        for (const auto& r : results) total.merge(r);
    } else {
        for (std::int64_t first = 0; first < tasks; first += tasks_per_batch) {
            Moments replicate;
            for (std::int64_t i = 0; i < tasks_per_batch; ++i)
                replicate.merge(results[static_cast<std::size_t>(first + i)]);
            total.add(replicate.mean);
        }
    }

    const Eigen::ArrayXd error = total.standard_error();
    LossEstimate result;
    result.loss = {total.mean[0], error[0], ErrorKind::standard};
    result.method = method_name(samples);
    if (gradient) {
        const auto unpack = [&](const Eigen::ArrayXd& x) {
            return unflatten(x.tail(x.size() - 1).matrix(), state.heads(), state.features());
        };
        result.gradient = GradientEstimate{unpack(total.mean), unpack(error)};
    }
    return result;
}

LossEstimate loss_monte_carlo(const Problem& problem, const State& state, const MonteCarloOptions& options) {
    validate(problem, state);
    const Samples samples(problem.prior, problem.tokens, state.heads(), options.samples, options.sampling,
                          options.seed);
    return loss_monte_carlo(problem, state, samples, options.gradient, options.progress);
}

}  // namespace lemmata
