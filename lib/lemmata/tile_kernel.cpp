#include <lemmata/tile_kernel.hpp>

#include <algorithm>
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

constexpr int block = 4;

// Calls f with min(n, block), known at compile time.
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
            return f(std::integral_constant<int, block>{});
    }
}

// Calls f with the number of tokens, known at compile time if they are few (so that errors stay in registers), or 0.
template <typename F>
void with_tokens(Eigen::Index n, F f) {
    switch (n) {
        case 2:
            return f(std::integral_constant<int, 2>{});
        case 3:
            return f(std::integral_constant<int, 3>{});
        case 4:
            return f(std::integral_constant<int, 4>{});
        case 5:
            return f(std::integral_constant<int, 5>{});
        case 6:
            return f(std::integral_constant<int, 6>{});
        default:
            return f(std::integral_constant<int, 0>{});
    }
}

constexpr std::size_t size(Eigen::Index n) {
    return static_cast<std::size_t>(n);
}

}  // namespace

TileKernel::TileKernel(const Problem& problem, const State& state, bool gradient)
    : activation_(problem.activation),
      tokens_(problem.tokens),
      heads_(state.heads()),
      gradient_(gradient),
      mixing_(state.m.cols() + heads_, heads_),
      b_(state.b),
      weight_(output_weight(activation_, heads_, state.v)),
      p_(size(heads_ * tokens_ * vectors)),
      error_(size(tokens_)),
      inverse_(size(heads_)),
      sink_(size(heads_)),
      b_sums_(size(heads_)) {
    mixing_ << state.m.transpose(), state.r.transpose();
}

void TileKernel::evaluate(const Eigen::MatrixXd& inputs, Eigen::ArrayXd& out, const Eigen::MatrixXd* next) {
    const bool relative = activation_ == Activation::softmax;
    relative ? scores<true>(inputs) : scores<false>(inputs);
    std::fill(b_sums_.begin(), b_sums_.end(), Vector{});
    v_sum_ = Vector{};
    Vector loss{};
    with_tokens(tokens_, [&](auto few) {
        for (int i = 0; i < vectors; ++i) {
            if (next != nullptr) fetch(*next, i);
            loss += attend<few>(i);
        }
    });
    out.resize(gradient_ ? 2 + mixing_.size() + heads_ : 1);
    out[0] = simd::sum(loss) / tile_width;
    if (!gradient_) return;
    relative ? contract<true>(inputs, out) : contract<false>(inputs, out);
    for (Eigen::Index h = 0; h < heads_; ++h)
        out[1 + mixing_.size() + h] = 2 * weight_ / tile_width * simd::sum(b_sums_[size(h)]);
    out[out.size() - 1] = 2.0 / static_cast<double>(heads_ * tile_width) * simd::sum(v_sum_);
}

template <bool relative>
void TileKernel::scores(const Eigen::MatrixXd& inputs) {
    const Eigen::Index columns = mixing_.rows(), last = tokens_ - 1;
    const auto* x = reinterpret_cast<const Vector*>(inputs.data());
    for (Eigen::Index l = 0; l < tokens_ - relative; ++l)
        for (Eigen::Index h = 0; h < heads_; h += block)
            with_constant(heads_ - h, [&](auto constant) {
                constexpr int some = constant;
                for (int i = 0; i < vectors; i += block) {
                    Vector sum[block][block] = {};
                    for (Eigen::Index k = 0; k < columns; ++k) {
                        const Vector* in = x + (k * tokens_ + l) * vectors + i;
                        const Vector* other = x + (k * tokens_ + last) * vectors + i;
                        for (int j = 0; j < block; ++j) {
                            const Vector input = relative ? in[j] - other[j] : in[j];
                            for (int a = 0; a < some; ++a) sum[a][j] += input * mixing_(k, h + a);
                        }
                    }
                    for (int a = 0; a < some; ++a)
                        for (int j = 0; j < block; ++j) p_[size(((i + j) * heads_ + h + a) * tokens_ + l)] = sum[a][j];
                }
            });
}

// One of `vectors` equal parts of the next tile, so that fetching it spreads over the races.
void TileKernel::fetch(const Eigen::MatrixXd& next, int part) const {
    constexpr Eigen::Index line = 64 / sizeof(double);
    const Eigen::Index length = next.size() / vectors;
    const double* begin = next.data() + part * length;
    for (Eigen::Index i = 0; i < length; i += line) __builtin_prefetch(begin + i, 0, 2);
}

// Scores become unnormalised probabilities and inverse_ their normalisation. Softmax: the last token has score 0
// and probability 1 before normalisation. Scores above 600 are shifted back to it, which would take the last token
// to e^-600 of the others or less: leaving it at 1 changes nothing that a double can hold.
[[gnu::always_inline]] inline void TileKernel::race_against_last(Vector* p, Eigen::Index tokens, Eigen::Index h) {
    Vector top = p[0];
    for (Eigen::Index l = 1; l < tokens - 1; ++l) simd::raise_to(top, p[l]);
    Vector shift = top - 600.0;
    simd::raise_to(shift, Vector{});
    Vector total = Vector{} + 1.0;
    for (Eigen::Index l = 0; l < tokens - 1; ++l) {
        Vector e = p[l] - shift;
        simd::exp(e);
        p[l] = e;
        total += e;
    }
    p[tokens - 1] = Vector{} + 1.0;
    inverse_[size(h)] = 1.0 / total;
}

// Softmax-1: a sink of score b_h runs along.
[[gnu::always_inline]] inline void TileKernel::race_against_sink(Vector* p, Eigen::Index tokens, Eigen::Index h) {
    Vector top = Vector{} + b_[h];
    for (Eigen::Index l = 0; l < tokens; ++l) simd::raise_to(top, p[l]);
    Vector sink = b_[h] - top;
    simd::exp(sink);
    Vector total = sink;
    for (Eigen::Index l = 0; l < tokens; ++l) {
        Vector e = p[l] - top;
        simd::exp(e);
        p[l] = e;
        total += e;
    }
    inverse_[size(h)] = 1.0 / total;
    sink_[size(h)] = sink * inverse_[size(h)];
}

// Bayes-softmax: one normalisation for all heads.
void TileKernel::one_race(Vector* p) {
    const Eigen::Index all = heads_ * tokens_;
    Vector top = p[0] + b_[0];
    for (Eigen::Index n = 0; n < all; ++n) simd::raise_to(top, p[n] + b_[n / tokens_]);
    Vector total{};
    for (Eigen::Index n = 0; n < all; ++n) {
        Vector e = p[n] + b_[n / tokens_] - top;
        simd::exp(e);
        p[n] = e;
        total += e;
    }
    std::fill(inverse_.begin(), inverse_.end(), 1.0 / total);
}

// The sequences of vector i: the sum of their losses; p becomes the derivatives in the scores up to the factor that
// contract() applies, as in pull_back (activation.hpp): p (w - mean of w under p) with w = 2 error. Gradients in b
// and v come out on the way.
template <int few>
Vector TileKernel::attend(int i) {
    const Eigen::Index tokens = few > 0 ? few : tokens_;
    const bool shared = activation_ == Activation::bayes_softmax, has_sink = activation_ == Activation::softmax_1;
    Vector* const p = p_.data() + i * heads_ * tokens;
    if (shared) one_race(p);
    for (Eigen::Index h = 0; h < heads_ && !shared; ++h)
        has_sink ? race_against_sink(p + h * tokens, tokens, h) : race_against_last(p + h * tokens, tokens, h);

    Vector in_registers[size(few > 0 ? few : 1)];
    Vector* const error = few > 0 ? in_registers : error_.data();
    for (Eigen::Index l = 0; l < tokens; ++l) error[l] = Vector{};
    for (Eigen::Index h = 0; h < heads_; ++h)
        for (Eigen::Index l = 0; l < tokens; ++l) error[l] += p[h * tokens + l] * inverse_[size(h)];
    Vector loss{};
    for (Eigen::Index l = 0; l < tokens; ++l) {
        error[l] = error[l] * weight_ - (l == 0 ? 1.0 : 0.0);
        loss += error[l] * error[l];
    }
    if (!gradient_) return loss;

    const auto mean_error = [&](Eigen::Index h) {
        Vector mean{};
        for (Eigen::Index l = 0; l < tokens; ++l) mean += p[h * tokens + l] * error[l];
        return mean * inverse_[size(h)];
    };
    Vector common{};
    for (Eigen::Index h = 0; h < heads_ && shared; ++h) common += mean_error(h);
    for (Eigen::Index h = 0; h < heads_; ++h) {
        const Vector mean = shared ? common : mean_error(h);
        if (has_sink) {
            v_sum_ += mean;
            b_sums_[size(h)] -= sink_[size(h)] * mean;
        }
        for (Eigen::Index l = 0; l < tokens; ++l) {
            Vector& derivative = p[h * tokens + l];
            derivative *= (error[l] - mean) * inverse_[size(h)];
            if (shared) b_sums_[size(h)] += derivative;
        }
    }
    return loss;
}

// Gradient in m and r: entry (h, k) sums derivative (h) times input (k) over tokens and sequences. Derivatives of
// softmax add up to zero over the tokens, so there too the last token is taken off the others.
template <bool relative>
void TileKernel::contract(const Eigen::MatrixXd& inputs, Eigen::ArrayXd& out) const {
    const double factor = 2 * weight_ / tile_width;
    const Eigen::Index columns = mixing_.rows(), last = tokens_ - 1;
    const auto* x = reinterpret_cast<const Vector*>(inputs.data());
    for (Eigen::Index k = 0; k < columns; k += block)
        with_constant(columns - k, [&](auto column_constant) {
            constexpr int some_columns = column_constant;
            for (Eigen::Index h = 0; h < heads_; h += block)
                with_constant(heads_ - h, [&](auto head_constant) {
                    constexpr int some_heads = head_constant;
                    Vector sum[2 * simd::width] = {};  // column c, head a: entry c * block + a
                    for (Eigen::Index i = 0; i < vectors; ++i)
                        for (Eigen::Index l = 0; l < tokens_ - relative; ++l) {
                            Vector derivative[block];
                            for (int a = 0; a < some_heads; ++a) {
                                derivative[a] = p_[size((i * heads_ + h + a) * tokens_ + l)];
                                simd::hold(derivative[a]);
                            }
                            for (int c = 0; c < some_columns; ++c) {
                                const Vector* in = x + (k + c) * tokens_ * vectors + i;
                                const Vector input = relative ? in[l * vectors] - in[last * vectors] : in[l * vectors];
                                for (int a = 0; a < some_heads; ++a) sum[c * block + a] += input * derivative[a];
                            }
                        }
                    Vector totals[2];
                    simd::sums(totals[0], sum);
                    simd::sums(totals[1], sum + simd::width);
                    totals[0] *= factor;
                    totals[1] *= factor;
                    for (int c = 0; c < some_columns; ++c)
                        for (int a = 0; a < some_heads; ++a)
                            out[1 + (k + c) * heads_ + h + a] = totals[c / 2][c % 2 * block + a];
                });
        });
}

}  // namespace lemmata
