#include <lemmata/tile_kernel.hpp>

#include <type_traits>

namespace lemmata {

using simd::Vector;

namespace {

double output_weight(Activation activation, Eigen::Index heads, double v) {
    switch (activation) {
        case Activation::softmax:
            return 1.0 / static_cast<double>(heads);
        case Activation::softmax_1:
            return v / static_cast<double>(heads);
        case Activation::bayes_softmax:
            return 1.0;  // p is normalised over heads and tokens together
    }
    return 0;
}

// Calls f with n, n known at compile time, for n = 1 … 4.
template <typename F>
void with_constant(Eigen::Index n, F f) {
    switch (n) {
        case 1:
            return f(std::integral_constant<int, 1>{});
        case 2:
            return f(std::integral_constant<int, 2>{});
        case 3:
            return f(std::integral_constant<int, 3>{});
        default:
            return f(std::integral_constant<int, 4>{});
    }
}

constexpr int block = 4;

}  // namespace

TileKernel::TileKernel(const Problem& problem, const State& state, bool gradient)
    : activation_(problem.activation),
      tokens_(problem.tokens),
      heads_(state.heads()),
      gradient_(gradient),
      mixing_(state.m.cols() + heads_, heads_),
      b_(state.b),
      v_(state.v),
      weight_(output_weight(activation_, heads_, v_)),
      p_(static_cast<std::size_t>(heads_ * tokens_ * vectors)),
      error_(static_cast<std::size_t>(tokens_ * vectors)),
      inverse_(static_cast<std::size_t>(heads_ * vectors)),
      sink_(static_cast<std::size_t>(heads_ * vectors)) {
    mixing_ << state.m.transpose(), state.r.transpose();
}

void TileKernel::evaluate(const Eigen::MatrixXd& inputs, Eigen::ArrayXd& out, const Eigen::MatrixXd* next) {
    next_ = next;
    scores(inputs);
    if (activation_ == Activation::bayes_softmax)
        one_race();
    else
        race_per_head();
    out.resize(gradient_ ? 2 + mixing_.size() + heads_ : 1);
    out[0] = output_error() / tile_width;
    if (!gradient_) return;
    derivatives(out);
    contract(inputs, out);
}

void TileKernel::scores(const Eigen::MatrixXd& inputs) {
    const Eigen::Index columns = mixing_.rows();
    const auto* x = reinterpret_cast<const Vector*>(inputs.data());
    for (Eigen::Index l = 0; l < tokens_; ++l)
        for (Eigen::Index h = 0; h < heads_; h += block)
            with_constant(heads_ - h, [&](auto constant) {
                constexpr int some = constant;
                for (int i = 0; i < vectors; i += block) {
                    Vector sum[block][block] = {};
                    for (Eigen::Index k = 0; k < columns; ++k) {
                        const Vector* in = x + (k * tokens_ + l) * vectors + i;
                        for (int a = 0; a < some; ++a)
                            for (int j = 0; j < block; ++j) sum[a][j] += in[j] * mixing_(k, h + a);
                    }
                    for (int a = 0; a < some; ++a)
                        for (int j = 0; j < block; ++j) p(l, h + a)[i + j] = sum[a][j];
                }
            });
}

// One of `vectors` equal parts of the next tile, so that fetching it spreads over the races.
void TileKernel::fetch_ahead(int part) const {
    if (next_ == nullptr) return;
    constexpr Eigen::Index line = 64 / sizeof(double);
    const Eigen::Index length = next_->size() / vectors;
    const double* begin = next_->data() + part * length;
    for (Eigen::Index i = 0; i < length; i += line) __builtin_prefetch(begin + i, 0, 2);
}

// Scores become unnormalised probabilities, head by head, and inverse_ their normalisation.
// softmax-1 has a sink of score b_h. (Stores are what this processor is slow at: hence p inverse
// is multiplied out where it is used.)
void TileKernel::race_per_head() {
    const bool has_sink = activation_ == Activation::softmax_1;
    for (int i = 0; i < vectors; ++i) {
        fetch_ahead(i);
        for (Eigen::Index h = 0; h < heads_; ++h) {
            Vector top = p(0, h)[i];
            for (Eigen::Index l = 1; l < tokens_; ++l) simd::raise_to(top, p(l, h)[i]);
            if (has_sink) simd::raise_to(top, Vector{} + b_[h]);
            Vector total{};
            for (Eigen::Index l = 0; l < tokens_; ++l) {
                Vector e = p(l, h)[i] - top;
                simd::exp_nonpositive(e);
                p(l, h)[i] = e;
                total += e;
            }
            if (has_sink) {
                Vector e = b_[h] - top;
                simd::exp_nonpositive(e);
                total += e;
                sink(h)[i] = e / total;
            }
            inverse(h)[i] = 1.0 / total;
        }
    }
}

// Bayes-softmax: one normalisation for all heads.
void TileKernel::one_race() {
    const Eigen::Index all = heads_ * tokens_;
    for (int i = 0; i < vectors; ++i) {
        fetch_ahead(i);
        Vector* x = p_.data() + i;
        Vector top = x[0] + b_[0];
        for (Eigen::Index n = 0; n < all; ++n) simd::raise_to(top, x[n * vectors] + b_[n / tokens_]);
        Vector total{};
        for (Eigen::Index n = 0; n < all; ++n) {
            Vector e = x[n * vectors] + b_[n / tokens_] - top;
            simd::exp_nonpositive(e);
            x[n * vectors] = e;
            total += e;
        }
        for (Eigen::Index h = 0; h < heads_; ++h) inverse(h)[i] = 1.0 / total;
    }
}

// Fills error_ and returns the sum of its squares.
double TileKernel::output_error() {
    Vector loss{};
    for (Eigen::Index l = 0; l < tokens_; ++l)
        for (int i = 0; i < vectors; ++i) {
            Vector sum{};
            for (Eigen::Index h = 0; h < heads_; ++h) sum += p(l, h)[i] * inverse(h)[i];
            const Vector e = sum * weight_ - (l == 0 ? 1.0 : 0.0);
            error(l)[i] = e;
            loss += e * e;
        }
    return simd::sum(loss);
}

// The mean of the error under head h's probabilities, for the sequences of vector i.
Vector TileKernel::mean_error(Eigen::Index h, int i) {
    Vector mean{};
    for (Eigen::Index l = 0; l < tokens_; ++l) mean += p(l, h)[i] * error(l)[i];
    return mean * inverse(h)[i];
}

// As in pull_back (activation.hpp): p (w - mean of w under p) with w = 2 error, up to the factor
// that contract() applies. Gradients in b and v come out on the way.
void TileKernel::derivatives(Eigen::ArrayXd& out) {
    const double factor = 2 * weight_ / tile_width;
    const bool one_race = activation_ == Activation::bayes_softmax;
    const bool has_sink = activation_ == Activation::softmax_1;
    auto b = out.segment(1 + mixing_.size(), heads_);
    double& v = out[out.size() - 1];
    b.setZero();
    v = 0;
    Vector common[vectors] = {};
    if (one_race)
        for (Eigen::Index h = 0; h < heads_; ++h)
            for (int i = 0; i < vectors; ++i) common[i] += mean_error(h, i);
    for (Eigen::Index h = 0; h < heads_; ++h) {
        Vector through_sink{}, means{}, all{};
        for (int i = 0; i < vectors; ++i) {
            const Vector mean = one_race ? common[i] : mean_error(h, i);
            if (has_sink) {
                means += mean;
                through_sink += sink(h)[i] * mean;
            }
            for (Eigen::Index l = 0; l < tokens_; ++l) {
                p(l, h)[i] *= (error(l)[i] - mean) * inverse(h)[i];
                if (one_race) all += p(l, h)[i];
            }
        }
        if (has_sink) {
            b[h] = -factor * simd::sum(through_sink);
            v += 2.0 / static_cast<double>(heads_ * tile_width) * simd::sum(means);
        }
        if (one_race) b[h] = factor * simd::sum(all);
    }
}

// Gradient in m and r: entry (h, k) sums derivative (h) times input (k) over tokens and sequences.
void TileKernel::contract(const Eigen::MatrixXd& inputs, Eigen::ArrayXd& out) const {
    const double factor = 2 * weight_ / tile_width;
    const Eigen::Index columns = mixing_.rows();
    const Eigen::Index length = tokens_ * vectors;
    const auto* x = reinterpret_cast<const Vector*>(inputs.data());
    const Vector* d = p_.data();
    for (Eigen::Index k = 0; k < columns; k += block)
        with_constant(columns - k, [&](auto column_constant) {
            constexpr int some_columns = column_constant;
            for (Eigen::Index h = 0; h < heads_; h += block)
                with_constant(heads_ - h, [&](auto head_constant) {
                    constexpr int some_heads = head_constant;
                    Vector sum[block][block] = {};
                    for (Eigen::Index i = 0; i < length; ++i)
                        for (int c = 0; c < some_columns; ++c)
                            for (int a = 0; a < some_heads; ++a)
                                sum[c][a] += x[(k + c) * length + i] * d[(h + a) * length + i];
                    for (int c = 0; c < some_columns; ++c)
                        for (int a = 0; a < some_heads; ++a)
                            out[1 + (k + c) * heads_ + h + a] = factor * simd::sum(sum[c][a]);
                });
        });
}

}  // namespace lemmata
