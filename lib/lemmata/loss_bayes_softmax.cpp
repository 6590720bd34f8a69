#include <lemmata/error.hpp>
#include <lemmata/loss_bayes_softmax.hpp>
#include <lemmata/normal_quantile.hpp>
#include <lemmata/race.hpp>
#include <lemmata/race_integrals.hpp>
#include <lemmata/race_kernel.hpp>
#include <lemmata/score_laws.hpp>
#include <lemmata/sobol.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

namespace lemmata {
namespace {

constexpr std::int64_t most_nodes = 400'000;  // of a product rule; beyond, Sobol points are the better use of time
constexpr int replicates = 16, replicate_points = 2048;
constexpr Eigen::Index chunk = 2048;  // points handled by one task, whatever the number of threads

// An inner rule for one law: points of the scores, as exponents chi_h + b_h (one column for each point).
struct InnerRule {
    Eigen::MatrixXd exponents;  // H x points
    Eigen::ArrayXd weights;     // points
    Eigen::ArrayXd level;       // log w of each point
};

void finish(InnerRule& rule) {
    const Eigen::Index points = rule.exponents.cols();
    rule.level.resize(points);
    for (Eigen::Index p = 0; p < points; ++p) {
        const double top = rule.exponents.col(p).maxCoeff();
        rule.level[p] = top + std::log((rule.exponents.col(p).array() - top).exp().sum());
    }
}

// Principal axes of a covariance, scaled to standard deviations, without those that move no score by
// more than rounding.
Eigen::MatrixXd principal_axes(const Eigen::MatrixXd& covariance) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
    std::vector<Eigen::VectorXd> axes;
    for (Eigen::Index k = covariance.rows() - 1; k >= 0; --k)
        if (solver.eigenvalues()[k] > 1e-13)
            axes.push_back(std::sqrt(solver.eigenvalues()[k]) * solver.eigenvectors().col(k));
    Eigen::MatrixXd matrix(covariance.rows(), static_cast<Eigen::Index>(axes.size()));
    for (std::size_t k = 0; k < axes.size(); ++k) matrix.col(static_cast<Eigen::Index>(k)) = axes[k];
    return matrix;
}

// The product lattice, if it has few enough nodes.
std::optional<InnerRule> product_rule(const ScoreLaw& law, const Eigen::VectorXd& b, double accuracy, double tail) {
    const Eigen::MatrixXd axes = principal_axes(law.covariance);
    if (axes.cols() > 4) return std::nullopt;
    std::vector<QuadratureRule> rules;
    std::int64_t count = 1;
    for (Eigen::Index d = 0; d < axes.cols(); ++d) {
        rules.push_back(smoothing_rule(axes.col(d).cwiseAbs().maxCoeff(), 0, accuracy, tail));
        count *= rules.back().nodes.size();
        if (count > 64 * most_nodes) return std::nullopt;
    }
    std::vector<Eigen::VectorXd> points;
    std::vector<double> weights;
    for (std::int64_t index = 0; index < count; ++index) {
        std::int64_t rest = index;
        double weight = 1;
        Eigen::VectorXd z(axes.cols());
        for (std::size_t d = 0; d < rules.size(); ++d) {
            const Eigen::Index k = rest % rules[d].nodes.size();
            rest /= rules[d].nodes.size();
            z[static_cast<Eigen::Index>(d)] = rules[d].nodes[k];
            weight *= rules[d].weights[k];
        }
        if (z.squaredNorm() > -2 * std::log(tail) + 4) continue;  // the corners of the product carry nothing
        if (static_cast<std::int64_t>(points.size()) >= most_nodes) return std::nullopt;
        points.emplace_back(law.mean + b + axes * z);
        weights.push_back(weight);
    }
    InnerRule rule;
    rule.exponents.resize(b.size(), static_cast<Eigen::Index>(points.size()));
    for (std::size_t p = 0; p < points.size(); ++p) rule.exponents.col(static_cast<Eigen::Index>(p)) = points[p];
    rule.weights = Eigen::Map<Eigen::ArrayXd>(weights.data(), static_cast<Eigen::Index>(weights.size()));
    finish(rule);
    return rule;
}

InnerRule sobol_rule(const ScoreLaw& law, const Eigen::VectorXd& b, std::uint64_t stream) {
    const Eigen::MatrixXd axes = principal_axes(law.covariance);
    const auto dimension = static_cast<int>(std::max<Eigen::Index>(axes.cols(), 1));
    InnerRule rule;
    rule.exponents.resize(b.size(), Eigen::Index{replicates} * replicate_points);
    rule.weights.setConstant(rule.exponents.cols(), 1.0 / static_cast<double>(rule.exponents.cols()));
    const SobolPoints sobol(dimension, stream);
    std::vector<double> uniform(static_cast<std::size_t>(dimension) * replicate_points);
    for (int r = 0; r < replicates; ++r) {
        sobol.fill(uniform, static_cast<std::uint64_t>(r), 0, replicate_points);
        normal_quantile(uniform);
        const Eigen::Map<Eigen::MatrixXd> z(uniform.data(), replicate_points, dimension);
        rule.exponents.middleCols(Eigen::Index{r} * replicate_points, replicate_points) =
            (axes * z.leftCols(axes.cols()).transpose()).colwise() + (law.mean + b);
    }
    finish(rule);
    return rule;
}

// 1 - Phi, -Phi' and Phi'' - Phi' at the lattice's nodes, from points first .. last - 1.
Eigen::MatrixXd runner(const InnerRule& rule, const Eigen::ArrayXd& u, Eigen::Index first, Eigen::Index last) {
    const Eigen::Index chunks = (last - first + chunk - 1) / chunk;
    std::vector<Eigen::MatrixXd> parts(static_cast<std::size_t>(chunks));
    tbb::parallel_for(Eigen::Index{0}, chunks, [&](Eigen::Index part) {
        Eigen::MatrixXd& sums = parts[static_cast<std::size_t>(part)];
        sums.setZero(u.size(), 3);
        double *lost = sums.col(0).data(), *slope = sums.col(1).data(), *second = sums.col(2).data();
        const Eigen::Index end = std::min(last, first + (part + 1) * chunk);
        for (Eigen::Index p = first + part * chunk; p < end; ++p) {
            const double level = rule.level[p], weight = rule.weights[p];
            for (Eigen::Index a = 0; a < u.size(); ++a) {
                const double x = std::min(vector_exp(u[a] + level), 708.0);
                const SplitExp e = split_exp(-x);
                const double xg = weight * x * (e.scale + e.scale * e.rest);
                lost[a] += weight * ((1 - e.scale) - e.scale * e.rest);
                slope[a] += xg;
                second[a] += x * xg;
            }
        }
    });
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(u.size(), 3);
    for (const Eigen::MatrixXd& part : parts) sums += part;  // in order: the same bits for any number of threads
    return sums;
}

// The law's contribution to the gradient for the adjoint alpha du of Phi.
struct LawGradient {
    Eigen::VectorXd mean;
    Eigen::MatrixXd covariance;
};
LawGradient law_gradient(const InnerRule& rule, const Eigen::ArrayXd& u, const Eigen::ArrayXd& alpha) {
    const Eigen::Index heads = rule.exponents.rows(), points = rule.exponents.cols();
    const Eigen::Index chunks = (points + chunk - 1) / chunk;
    std::vector<LawGradient> parts(static_cast<std::size_t>(chunks));
    tbb::parallel_for(Eigen::Index{0}, chunks, [&](Eigen::Index part) {
        LawGradient& sum = parts[static_cast<std::size_t>(part)];
        sum = {Eigen::VectorXd::Zero(heads), Eigen::MatrixXd::Zero(heads, heads)};
        Eigen::ArrayXd once(u.size()), twice(u.size());
        const Eigen::Index end = std::min(points, (part + 1) * chunk);
        for (Eigen::Index p = part * chunk; p < end; ++p) {
            const double level = rule.level[p];
            for (Eigen::Index a = 0; a < u.size(); ++a) {
                const double x = std::min(vector_exp(u[a] + level), 708.0);
                const SplitExp e = split_exp(-x);
                once[a] = alpha[a] * x * (e.scale + e.scale * e.rest);
                twice[a] = once[a] * x;
            }
            // e^u w_h exp(-e^u w) = (share of h in w) x exp(-x).
            const Eigen::VectorXd share = (rule.exponents.col(p).array() - level).exp();
            const double first = rule.weights[p] * once.sum(), second = rule.weights[p] * twice.sum();
            sum.mean -= first * share;
            sum.covariance += 0.5 * second * share * share.transpose();
            sum.covariance.diagonal() -= 0.5 * first * share;
        }
    });
    LawGradient total{Eigen::VectorXd::Zero(heads), Eigen::MatrixXd::Zero(heads, heads)};
    for (const LawGradient& part : parts) {
        total.mean += part.mean;
        total.covariance += part.covariance;
    }
    return total;
}

// The integrand of E along u, and the adjoints of Phi_e and Phi_0 (by parts: alpha_0 uses
// int Phi_e (psi'' - psi') = int psi (Phi_e'' + Phi_e'), psi = Phi_0^{L-1}, and likewise for the second part).
struct Integrand {
    Eigen::ArrayXd terms, relevant, null;
};
Integrand integrand(const TokenPowers& powers, const Eigen::MatrixXd& null, const Eigen::MatrixXd& relevant,
                    const Eigen::ArrayXd& measure) {
    const Eigen::Index n = measure.size();
    Integrand result{Eigen::ArrayXd(n), Eigen::ArrayXd(n), Eigen::ArrayXd(n)};
    for (Eigen::Index a = 0; a < n; ++a) {
        const auto power = powers(null(a, 0));
        const double p = null(a, 1), second = null(a, 2);  // -Phi_0', Phi_0'' - Phi_0'
        const double phi_e = 1 - relevant(a, 0), slope_e = -relevant(a, 1), bend_e = relevant(a, 2) - relevant(a, 1);
        const KernelPoint k = kernel(powers, power, p, p, second, 0, 0);
        result.relevant[a] = measure[a] * (k.n + k.b);
        result.terms[a] = phi_e * result.relevant[a];
        const double one = powers.one, two = powers.two, three = powers.three;
        // h = (L-1) Phi_e Phi_0^{L-2} multiplies Phi_0'' - Phi_0' in the second part.
        const double h1 = one * (slope_e * power.p2 - two * phi_e * power.p3 * p);
        const double h2 = one * (bend_e * power.p2 - 2 * two * slope_e * power.p3 * p +
                                 two * phi_e * (three * power.p4 * p * p + power.p3 * (second - p)));
        result.null[a] =
            measure[a] * (one * power.p2 * (bend_e + slope_e) + h2 + h1 + one * two * phi_e * power.p3 * second);
    }
    return result;
}

struct Rules {
    InnerRule null;
    std::vector<InnerRule> relevant;
    bool product = true;
};

Rules inner_rules(const ScoreLaws& laws, const Eigen::VectorXd& b, double accuracy, double cut, double others) {
    Rules rules;
    std::optional<InnerRule> null = product_rule(laws.null, b, accuracy, cut / others);
    std::vector<InnerRule> relevant;
    for (const ScoreLaw& law : laws.relevant) {
        std::optional<InnerRule> rule = null ? product_rule(law, b, accuracy, cut) : std::nullopt;
        if (!rule) break;
        relevant.push_back(std::move(*rule));
    }
    if (null && relevant.size() == laws.relevant.size()) return {std::move(*null), std::move(relevant), true};
    rules.product = false;
    rules.null = sobol_rule(laws.null, b, 1);
    for (std::size_t k = 0; k < laws.relevant.size(); ++k)
        rules.relevant.push_back(sobol_rule(laws.relevant[k], b, k + 2));
    return rules;
}

RaceRange shared_range(const ScoreLaws& laws, const Rules& rules, const Eigen::VectorXd& b, std::int64_t tokens,
                       double cut) {
    const double centre = b.maxCoeff() + std::log(static_cast<double>(b.size()));
    const double spread = laws.null.covariance.diagonal().maxCoeff();
    const double others = static_cast<double>(tokens - 1);
    std::vector<double> means;
    for (const ScoreLaw& law : laws.relevant)
        means.push_back((law.mean + b).maxCoeff() + std::log(static_cast<double>(b.size())));
    const double low = std::log(cut / others / 10) - rules.null.level.maxCoeff(),
                 high = 4.5 - rules.null.level.minCoeff();
    return race_range(
        [&](const Eigen::ArrayXd& u) -> Eigen::ArrayXd {
            return runner(rules.null, u, 0, rules.null.level.size()).col(0).array();
        },
        low, high, -centre - 1.5 * spread - 1.5, tokens, std::nullopt, means, cut);
}

Eigen::MatrixXd mixture_runner(const Rules& rules, const ScoreLaws& laws, const Eigen::ArrayXd& u, int replicate) {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(u.size(), 3);
    for (std::size_t k = 0; k < rules.relevant.size(); ++k) {
        const InnerRule& rule = rules.relevant[k];
        sum += laws.relevant[k].weight *
               (replicate < 0 ? runner(rule, u, 0, rule.level.size())
                              : Eigen::MatrixXd(replicates * runner(rule, u, Eigen::Index{replicate} * replicate_points,
                                                                    Eigen::Index{replicate + 1} * replicate_points)));
    }
    return sum;
}

// Standard error of the pooled value from the replicates'; the bias of the nonlinear functional, which falls
// with the number of replicates, is judged by the distance of their mean from the pooled value.
double replicate_error(const Rules& rules, const ScoreLaws& laws, const TimeLattice& lattice, const TokenPowers& powers,
                       double pooled) {
    Eigen::ArrayXd values(replicates);
    for (int r = 0; r < replicates; ++r) {
        const Eigen::MatrixXd null = replicates * runner(rules.null, lattice.nodes, Eigen::Index{r} * replicate_points,
                                                         Eigen::Index{r + 1} * replicate_points);
        values[r] = integrand(powers, null, mixture_runner(rules, laws, lattice.nodes, r), lattice.weights).terms.sum();
    }
    const double mean = values.mean();
    return std::sqrt((values - mean).square().sum() / (replicates * (replicates - 1.0)) +
                     (mean - pooled) * (mean - pooled));
}

}  // namespace

LossEstimate loss_bayes_softmax(const Problem& problem, const State& state, const ExactOptions& options) {
    RaceSettings settings;
    settings.tokens = problem.tokens;
    settings.tolerance = options.tolerance;
    const ScoreLaws laws = score_laws(problem, state);
    const double accuracy = inner_accuracy(settings), cut = cut_mass(settings);
    const TokenPowers powers(problem.tokens);
    const Rules rules = inner_rules(laws, state.b, accuracy / 10, cut / 10, powers.one);
    RaceRange range = shared_range(laws, rules, state.b, problem.tokens, cut);
    if (!rules.product) range.slope = 1;  // each sample ends its race within a few units, however wide their law

    LossEstimate estimate;
    Eigen::MatrixXd null, relevant;
    TimeLattice lattice;
    Integrand values;
    struct Attempt {
        Bounded both;
    };
    const Attempt attempt = refine(settings, [&](double spacing, bool stretched) {
        lattice = time_lattice(range, race_spacing(spacing, range), spacing, stretched);
        null = runner(rules.null, lattice.nodes, 0, rules.null.level.size());
        relevant = mixture_runner(rules, laws, lattice.nodes, -1);
        values = integrand(powers, null, relevant, lattice.weights);
        return Attempt{lattice_sum(values.terms, accuracy, Probe(lattice.nodes.size()))};
    });
    estimate.loss = {attempt.both.value, attempt.both.error, ErrorKind::bound};
    if (rules.product) {
        const Eigen::Index points = rules.null.level.size();
        estimate.method = fmt::format("exact (product rule, {} inner points)", points);
        if (!(estimate.loss.error <= options.tolerance))
            throw Unfinished(fmt::format("loss_exact: error {:.1e} after the last refinement, tolerance {:.1e}",
                                         estimate.loss.error, options.tolerance));
    } else {
        estimate.method = fmt::format("exact outer integral, {} sobol inner points", replicates * replicate_points);
        estimate.loss.error += replicate_error(rules, laws, lattice, powers, estimate.loss.value);
        estimate.loss.kind = ErrorKind::standard;
    }
    if (!options.gradient) return estimate;

    ScoreLawsAdjoint adjoint = zero_adjoint(laws);
    const LawGradient from_null = law_gradient(rules.null, lattice.nodes, values.null);
    adjoint.null = from_null.covariance;
    Eigen::VectorXd bias = from_null.mean;
    for (std::size_t k = 0; k < rules.relevant.size(); ++k) {
        const LawGradient part =
            law_gradient(rules.relevant[k], lattice.nodes, laws.relevant[k].weight * values.relevant);
        adjoint.means[k] = part.mean;
        adjoint.covariances[k] = part.covariance;
        bias += part.mean;
    }
    Gradient gradient = chain_rule(problem, state, adjoint);
    gradient.b = bias;
    // Each entry is a sum of contributions no larger than the loss's own, one derivative steeper.
    const double relative = 10 * estimate.loss.error / std::max(estimate.loss.value, 1e-300);
    ScoreLawsAdjoint error = zero_adjoint(laws);
    error.null = relative * (adjoint.null.cwiseAbs().array() + 0.1 * estimate.loss.value).matrix();
    for (std::size_t k = 0; k < rules.relevant.size(); ++k) {
        error.means[k] = relative * (adjoint.means[k].cwiseAbs().array() + 0.1 * estimate.loss.value).matrix();
        error.covariances[k] =
            relative * (adjoint.covariances[k].cwiseAbs().array() + 0.1 * estimate.loss.value).matrix();
    }
    Gradient gradient_error = chain_rule_error(problem, state, error);
    gradient_error.b = relative * (bias.cwiseAbs().array() + 0.1 * estimate.loss.value).matrix();
    estimate.gradient = GradientEstimate{gradient, gradient_error};
    return estimate;
}

}  // namespace lemmata
