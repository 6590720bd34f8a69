#include <lemmata/error.hpp>
#include <lemmata/loss_bayes_softmax.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/race_integrals.hpp>
#include <lemmata/score_laws.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <algorithm>
#include <cmath>

namespace lemmata {
namespace {

HeadLaw head_law(const ScoreLaw& law, int i) {
    return {law.mean[i], law.covariance(i, i)};
}

PairLaw pair_law(const ScoreLaw& law, int i, int j) {
    return {head_law(law, i), head_law(law, j), law.covariance(i, j)};
}

template <class Law>
std::vector<Law> map_laws(const std::vector<ScoreLaw>& laws, const auto& convert) {
    std::vector<Law> mapped;
    for (const ScoreLaw& law : laws) mapped.push_back(convert(law));
    return mapped;
}

struct Integrals {
    std::vector<HeadIntegral> heads;
    std::vector<PairIntegral> pairs;  // (1,0), (2,0), (2,1), ...
};
std::size_t pair_index(int i, int j) {  // j < i
    const auto row = static_cast<std::size_t>(i);
    return row * (row - 1) / 2 + static_cast<std::size_t>(j);
}

// Chooses settings.form.
Integrals integrate(RaceSettings& settings, const ScoreLaws& laws, const Eigen::VectorXd& b) {
    const auto heads = static_cast<int>(laws.null.mean.size());
    std::vector<double> weights;
    for (const ScoreLaw& law : laws.relevant) weights.push_back(law.weight);
    Integrals integrals;
    integrals.heads.resize(static_cast<std::size_t>(heads));
    integrals.pairs.resize(static_cast<std::size_t>(heads * (heads - 1) / 2));
    std::vector<HeadRace> races(static_cast<std::size_t>(heads));
    const auto for_heads = [&](const auto& action) { tbb::parallel_for(0, heads, action); };
    for_heads([&](int i) {
        HeadRace& race = races[static_cast<std::size_t>(i)];
        race.bias = b[i];
        race.null = head_law(laws.null, i);
        race.relevant = map_laws<HeadLaw>(laws.relevant, [i](const ScoreLaw& law) { return head_law(law, i); });
        std::vector<double> means;
        for (const HeadLaw& law : race.relevant) means.push_back(law.mean);
        race.range = race_range(std::sqrt(std::max(race.null.variance, 0.0)), settings.tokens,
                                settings.biased ? std::optional(b[i]) : std::nullopt, means, cut_mass(settings));
    });
    const auto integrate_heads = [&](Form form) {
        settings.form = form;
        for_heads([&](int i) {
            const auto at = static_cast<std::size_t>(i);
            integrals.heads[at] = head_integral(settings, races[at], weights);
        });
    };
    integrate_heads(Form::gain);
    double misses = 0;
    for (const HeadIntegral& head : integrals.heads) misses += 1 + head.misses.value;
    if (misses < 0.5 * heads) integrate_heads(Form::miss);
    // Each head expands each law as far as some partner needs it.
    const auto terms = [&](const ScoreLaw& law, int i) {
        int most = 1;
        for (int j = 0; j < heads; ++j) {
            if (j == i) continue;
            const double s1 = std::sqrt(law.covariance(i, i)), s2 = std::sqrt(law.covariance(j, j));
            if (s1 == 0 || s2 == 0) continue;
            const int needed = expansion_terms(law.covariance(i, j) / (s1 * s2), s1, s2, inner_accuracy(settings) / 10);
            if (needed <= max_expansion_terms) most = std::max(most, needed);
        }
        return most + 3;
    };
    if (heads > 1)
        for_heads([&](int i) {
            std::vector<int> counts{terms(laws.null, i)};
            for (const ScoreLaw& law : laws.relevant) counts.push_back(terms(law, i));
            expand(settings, counts, races[static_cast<std::size_t>(i)]);
        });
    const auto pair = [&](int index) {
        const int i = static_cast<int>((1 + std::sqrt(1.0 + 8.0 * index)) / 2), j = index - i * (i - 1) / 2;
        const auto at = [&](const ScoreLaw& law) { return pair_law(law, i, j); };
        integrals.pairs[static_cast<std::size_t>(index)] =
            pair_integral(settings, races[static_cast<std::size_t>(i)], races[static_cast<std::size_t>(j)],
                          at(laws.null), map_laws<PairLaw>(laws.relevant, at), weights);
    };
    // One by one: nearly equal heads cost many times what others do.
    tbb::parallel_for(
        tbb::blocked_range<int>(0, heads * (heads - 1) / 2),
        [&](const tbb::blocked_range<int>& range) {
            for (int index = range.begin(); index < range.end(); ++index) pair(index);
        },
        tbb::simple_partitioner());
    return integrals;
}

// Sums value and error of `weight` times a bounded number.
struct Accumulator {
    double& value;
    double& error;
    void add(double weight, const Bounded& term) {
        value += weight * term.value;
        error += std::abs(weight) * term.error;
    }
};

// E as a combination of the integrals: weight of each S_i and of each N_ij, i and j in either order.
struct Combination {
    double constant, misses, both;
};

GradientEstimate assemble_gradient(const Problem& problem, const State& state, const ScoreLaws& laws,
                                   const Integrals& integrals, const Combination& combination) {
    const int heads = state.heads();
    ScoreLawsAdjoint value = zero_adjoint(laws), error = zero_adjoint(laws);
    Eigen::VectorXd bias = Eigen::VectorXd::Zero(heads), bias_error = bias;
    const double both = combination.both, misses = combination.misses;
    for (int i = 0; i < heads; ++i) {
        const HeadIntegral& head = integrals.heads[static_cast<std::size_t>(i)];
        Accumulator null{value.null(i, i), error.null(i, i)};
        null.add(both, head.both_null_variance);
        null.add(misses, head.misses_null_variance);
        Accumulator b{bias[i], bias_error[i]};
        b.add(both, head.both_bias);
        b.add(misses, head.misses_bias);
        for (std::size_t k = 0; k < laws.relevant.size(); ++k) {
            Accumulator mean{value.means[k][i], error.means[k][i]};
            mean.add(both, head.both_relevant[k].mean);
            mean.add(misses, head.misses_relevant[k].mean);
            Accumulator variance{value.covariances[k](i, i), error.covariances[k](i, i)};
            variance.add(both, head.both_relevant[k].variance);
            variance.add(misses, head.misses_relevant[k].variance);
        }
        for (int j = 0; j < i; ++j) {
            const PairIntegral& pair = integrals.pairs[pair_index(i, j)];
            const auto add = [&](const PairLawAdjoint& term, Eigen::MatrixXd& matrix, Eigen::MatrixXd& matrix_error) {
                Accumulator{matrix(i, i), matrix_error(i, i)}.add(2 * both, term.first.variance);
                Accumulator{matrix(j, j), matrix_error(j, j)}.add(2 * both, term.second.variance);
                Accumulator{matrix(i, j), matrix_error(i, j)}.add(both, term.covariance);
                Accumulator{matrix(j, i), matrix_error(j, i)}.add(both, term.covariance);
            };
            add(pair.null, value.null, error.null);
            Accumulator{bias[i], bias_error[i]}.add(2 * both, pair.first_bias);
            Accumulator{bias[j], bias_error[j]}.add(2 * both, pair.second_bias);
            for (std::size_t k = 0; k < laws.relevant.size(); ++k) {
                add(pair.relevant[k], value.covariances[k], error.covariances[k]);
                Accumulator{value.means[k][i], error.means[k][i]}.add(2 * both, pair.relevant[k].first.mean);
                Accumulator{value.means[k][j], error.means[k][j]}.add(2 * both, pair.relevant[k].second.mean);
            }
        }
    }
    GradientEstimate gradient{chain_rule(problem, state, value), chain_rule_error(problem, state, error)};
    if (uses_bias(problem.activation)) {
        gradient.value.b = bias;
        gradient.error.b = bias_error;
    }
    return gradient;
}

LossEstimate loss_by_heads(const Problem& problem, const State& state, const ExactOptions& options) {
    const double v = uses_scale(problem.activation) ? state.v : 1;
    const double heads = state.heads();
    Combination combination{(1 - v) * (1 - v), 2 * v * (1 - v) / heads, v * v / (heads * heads)};
    const double amplification = std::abs(2 * v * (1 - v)) + v * v;
    RaceSettings settings;
    settings.tokens = problem.tokens;
    settings.biased = uses_bias(problem.activation);
    settings.tolerance = options.tolerance / std::max(1.0, amplification);
    settings.gradient = options.gradient;
    const ScoreLaws laws = score_laws(problem, state);
    const Integrals integrals = integrate(settings, laws, state.b);

    const bool gain = settings.form == Form::gain;
    if (gain) combination.constant = 1;  // (1-v)^2 + 2v(1-v) + v^2

    Bounded misses, both;
    for (const HeadIntegral& head : integrals.heads) {
        Accumulator{misses.value, misses.error}.add(1, head.misses);
        Accumulator{both.value, both.error}.add(1, head.both);
    }
    for (const PairIntegral& pair : integrals.pairs) Accumulator{both.value, both.error}.add(2, pair.both);
    LossEstimate estimate;
    estimate.method = "exact";
    estimate.loss.value = combination.constant;
    Accumulator loss{estimate.loss.value, estimate.loss.error};
    loss.add(combination.misses, misses);
    loss.add(combination.both, both);
    // The integrals' errors are estimated relative to what they sum, but cut ends and inner rules are not small
    // relative to a small gain, and 1 + gain is rounded: certified losses showed up to 1e-4 of the tolerance more than
    // was stated.
    estimate.loss.error += options.tolerance / 1000 + 4e-16 * std::abs(estimate.loss.value);
    if (!(estimate.loss.error <= options.tolerance))
        throw Unfinished(fmt::format("loss_exact: error {:.1e} after the last refinement, tolerance {:.1e}",
                                     estimate.loss.error, options.tolerance));
    if (options.gradient) {
        estimate.gradient = assemble_gradient(problem, state, laws, integrals, combination);
        if (uses_scale(problem.activation)) {
            Gradient &value = estimate.gradient->value, &error = estimate.gradient->error;
            value.v = gain ? 0 : -2 * (1 - v);
            Accumulator derivative{value.v, error.v};
            derivative.add(2 * (1 - 2 * v) / heads, misses);
            derivative.add(2 * v / (heads * heads), both);
        }
    }
    return estimate;
}

// Beyond this standard deviation of a score the sums of a gradient cancel more than their error estimates see.
constexpr double widest_sure_gradient = 30;

double widest_score(const ScoreLaws& laws) {
    double variance = laws.null.covariance.diagonal().maxCoeff();
    for (const ScoreLaw& law : laws.relevant) variance = std::max(variance, law.covariance.diagonal().maxCoeff());
    return std::sqrt(std::max(variance, 0.0));
}

// Finite states and priors have laws that overflow.
bool finite(const ScoreLaws& laws) {
    const auto is_finite = [](const ScoreLaw& law) { return law.mean.allFinite() && law.covariance.allFinite(); };
    return is_finite(laws.null) && std::all_of(laws.relevant.begin(), laws.relevant.end(), is_finite);
}

// The gradient's error becomes at least its change from a computation with a hundred times the tolerance.
void widen_gradient_error(const Problem& problem, const State& state, const ExactOptions& options,
                          LossEstimate& estimate) {
    const double coarse = std::min(100 * options.tolerance, 1e-2);
    const Gradient other = loss_by_heads(problem, state, {coarse, true}).gradient->value;
    Gradient &value = estimate.gradient->value, &error = estimate.gradient->error;
    error.m = error.m.cwiseMax((value.m - other.m).cwiseAbs());
    error.r = error.r.cwiseMax((value.r - other.r).cwiseAbs());
    error.b = error.b.cwiseMax((value.b - other.b).cwiseAbs());
    error.v = std::max(error.v, std::abs(value.v - other.v));
}

}  // namespace

LossEstimate loss_exact(const Problem& problem, const State& state, const ExactOptions& options) {
    validate(problem, state);
    if (problem.tokens > 1'000'000'000)
        throw InvalidInput("model.tokens", fmt::format("{}", problem.tokens), "at most 1e9 for the exact method");
    if (!(options.tolerance >= 1e-12 && options.tolerance <= 1e-2))
        throw InvalidInput("tolerance", fmt::format("{}", options.tolerance), "a number from 1e-12 to 1e-2");

    try {
        const ScoreLaws laws = score_laws(problem, state);
        if (!finite(laws)) throw Unfinished("loss_exact: variances of scores overflow");
        if (problem.activation == Activation::bayes_softmax) return loss_bayes_softmax(problem, state, options);
        LossEstimate estimate = loss_by_heads(problem, state, options);
        if (options.gradient && widest_score(laws) > widest_sure_gradient)
            widen_gradient_error(problem, state, options, estimate);
        return estimate;
    } catch (const InvalidInput& e) {
        // The input was fine; a lattice is asked for that would be too long.
        throw Unfinished(fmt::format("loss_exact: scores are too wide for its lattices ({})", e.what()));
    }
}

}  // namespace lemmata
