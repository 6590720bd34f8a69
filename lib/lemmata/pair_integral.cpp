#include <lemmata/pair_factors.hpp>
#include <lemmata/race.hpp>
#include <lemmata/race_integrals.hpp>
#include <lemmata/race_kernel.hpp>

#include <algorithm>
#include <cmath>

namespace lemmata {

namespace {

// Scratch memory, kept from pair to pair and from call to call: fresh pages cost as much as the arithmetic.
struct PairWorkspace {
    PairFactors null;
    std::vector<PairFactors> relevant;
    ScratchMatrix weighted, field, measure, lost, left, left_shifted, right;
};

// Terms of the expansion that this pair needs, 0 if the heads have not prepared enough.
int usable_terms(double rho, const RaceExpansion& first, const RaceExpansion& second, double accuracy) {
    const int available = std::min(first.terms(), second.terms());
    if (rho == 0 || available == 0) return std::min(available, 1);
    // The terms still fall where they are dropped, so the last ones speak for the rest.
    const double allowed = accuracy * std::min(first.sizes[0], second.sizes[0]);
    int needed = available;
    double power = std::pow(std::abs(rho), available - 1);
    while (needed > 1 && power * first.sizes[needed - 1] * second.sizes[needed - 1] < allowed) {
        --needed;
        power /= std::abs(rho);
    }
    return needed < available ? needed : 0;
}

// How wide the kernel's ridge is across, in u of the first head: nearly equal or opposite heads race
// nearly the same race, and then u1 and u2 are tied to each other more closely than each is on its own.
double ridge_spacing(double spacing, const PairLaw& null) {
    const SplitLaw parts = split_law(null);
    const double ratio = null.second.variance > 0 ? std::sqrt(null.first.variance / null.second.variance) : 1e6;
    const double width2 = 1 + ratio * ratio + (parts.own1 * parts.own1 + ratio * ratio * parts.own2 * parts.own2) / 2;
    return 1.2 * spacing * std::sqrt(width2);
}

double head_spacing(double spacing, const HeadRace& head, const PairLaw& null) {
    return std::min(race_spacing(spacing, head.range), std::max(ridge_spacing(spacing, null), spacing));
}

PairLaw swapped(const PairLaw& law) {
    return {law.second, law.first, law.covariance};
}

// What one line of the lattice (u2 fixed) needs: each head's lost, lost' and bias term, and the measure.
struct Line {
    Eigen::Index count;
    const double *lost1, *slope1, *e1, *measure1;
    double lost2, slope2, e2, measure2;
};

// E lost_i lost_j of the null token and its derivatives d1, d2, d12, along one line.
struct Field {
    double *x, *x1, *x2, *x12;
};

// The integrand along a line. `field` becomes the adjoint of each of its entries, with the sign by which
// it enters; `measure` the kernel itself, the adjoint of the relevant law.
void apply_kernel(const TokenPowers& tokens, bool gain, const Line& line, const double* lost, double* measure,
                  const Field& field, double* terms, double* sizes, double* bias1, double* bias2) {
    const TokenPowers powers = tokens;
    const Line l = line;
    const Field f = field;
    const double offset = gain ? 1 : 0;
#pragma GCC ivdep
    for (Eigen::Index a = 0; a < l.count; ++a) {
        const double p1 = l.slope1[a] - f.x1[a], p2 = l.slope2 - f.x2[a], e1 = l.e1[a];
        const auto power = powers(l.lost1[a] + l.lost2 - f.x[a]);
        const KernelPoint k = kernel(powers, power, p1, p2, f.x12[a], e1, l.e2);
        const double weight = l.measure1[a] * l.measure2;
        const double running = weight * (1 - lost[a]);
        const double missing = weight * ((1 - offset) - lost[a]);
        measure[a] = weight * (k.n + k.b);
        terms[a] = missing * k.n + running * k.b;
        sizes[a] = std::abs(missing) * k.n + running * k.b;
        bias1[a] += e1 * (missing * (k.n_e1 - k.n) - running * k.b);
        bias2[a] += l.e2 * (missing * (k.n_e2 - k.n) - running * k.b);
        f.x[a] = missing * k.n_phi + running * k.b_phi;
        f.x1[a] = -missing * k.n_p1;
        f.x2[a] = -missing * k.n_p2;
        f.x12[a] = missing * k.n_d12 + running * k.b_d12;
    }
}

// sum_k weights_k values(., k) product(., k), without a matrix in between.
Eigen::VectorXd contract(const auto& values, const ScratchMatrix::View& product, const Eigen::VectorXd& weights) {
    Eigen::VectorXd sums = Eigen::VectorXd::Zero(values.rows());
    for (Eigen::Index k = 0; k < weights.size(); ++k) sums += weights[k] * values.col(k).cwiseProduct(product.col(k));
    return sums;
}

// Not when refining, nor when the ridge wants a finer lattice than the heads have.
bool use_shared_lattice(const RaceSettings& settings, double spacing, const HeadRace& first, const HeadRace& second,
                        const PairLaw& null) {
    if (spacing < first_spacing(settings) || first.expansions.empty()) return false;
    if (std::abs(correlation(null)) < 0.8) return true;
    return head_spacing(spacing, first, null) >= race_spacing(spacing, first.range) &&
           head_spacing(spacing, second, swapped(null)) >= race_spacing(spacing, second.range);
}

PairIntegral integrate(const RaceSettings& settings, const HeadRace& first, const HeadRace& second, const PairLaw& null,
                       const std::vector<PairLaw>& relevant, const std::vector<double>& weights, double spacing,
                       bool stretched, PairWorkspace& work) {
    const bool shared = use_shared_lattice(settings, spacing, first, second, null);
    const TimeLattice u1 =
        shared ? first.lattice : time_lattice(first.range, head_spacing(spacing, first, null), spacing, stretched);
    const TimeLattice u2 =
        shared ? second.lattice
               : time_lattice(second.range, head_spacing(spacing, second, swapped(null)), spacing, stretched);
    const Eigen::Index n1 = u1.nodes.size(), n2 = u2.nodes.size();
    const double accuracy = inner_accuracy(settings), cut = cut_mass(settings);
    const TokenPowers powers(settings.tokens);
    const bool gradient = settings.gradient;

    const auto factorise = [&](const PairLaw& law, std::size_t index, int derivatives, double wanted, double tail,
                               PairFactors& factors) {
        const double rho = correlation(law);
        const int terms = shared ? usable_terms(rho, first.expansions[index], second.expansions[index], wanted) : 0;
        if (terms > 0)
            factors.expand(rho, terms, first.expansions[index], second.expansions[index]);
        else
            factors.split(law, u1, u2, derivatives, wanted, tail);
    };
    // 1 - phi_e = E[lost_i + lost_j - lost_i lost_j].
    work.relevant.resize(relevant.size());
    auto lost = work.lost.resized(n1, n2);
    lost.setZero();
    for (std::size_t k = 0; k < relevant.size(); ++k) {
        PairFactors& part = work.relevant[k];
        factorise(relevant[k], k + 1, gradient ? 3 : 1, accuracy, cut / 10, part);
        auto weighted = work.weighted.resized(n1, part.weights.size());
        weighted.noalias() = part.first().topRows(n1) * (weights[k] * part.weights).asDiagonal();
        lost.noalias() -= weighted * part.second().topRows(n2).transpose();
        lost.colwise() += weights[k] * part.first_mean.head(n1);
        lost.rowwise() += weights[k] * part.second_mean.head(n2).transpose();
    }
    // E lost_i lost_j of the null token and its derivatives d1, d2, d12, as blocks of one product.
    // Each derivative of a race function loses about a digit of the inner rule.
    factorise(null, 0, gradient ? 4 : 2, gradient ? accuracy / 10 : accuracy, cut / powers.one / 10, work.null);
    auto weighted = work.weighted.resized(2 * n1, work.null.weights.size());
    weighted.noalias() = work.null.first().topRows(2 * n1) * work.null.weights.asDiagonal();
    auto field = work.field.resized(2 * n1, 2 * n2);
    field.noalias() = weighted * work.null.second().topRows(2 * n2).transpose();

    const auto bias_terms = [&](const TimeLattice& u, double bias) {
        Eigen::ArrayXd e = Eigen::ArrayXd::Zero(u.nodes.size());
        if (settings.biased)
            for (Eigen::Index a = 0; a < e.size(); ++a) e[a] = vector_exp(std::min(u.nodes[a] + bias, 6.6));
        return e;
    };
    const Eigen::ArrayXd e1 = bias_terms(u1, first.bias), e2 = bias_terms(u2, second.bias);
    const Eigen::ArrayXd measure1 = u1.weights * (-e1).exp(), measure2 = u2.weights * (-e2).exp();
    auto measure = work.measure.resized(n1, n2);
    const bool gain = settings.form == Form::gain;
    Eigen::ArrayXd rows = Eigen::ArrayXd::Zero(n1), size1 = Eigen::ArrayXd::Zero(n1), size2(n2);
    Eigen::ArrayXd bias1 = Eigen::ArrayXd::Zero(n1), bias2 = Eigen::ArrayXd::Zero(n1);
    // Amplitudes at the probe frequency line by line, so that no cancellation between lines hides them.
    const Probe probe1(n1), probe2(n2);
    Eigen::ArrayXd cosine2 = Eigen::ArrayXd::Zero(n1), sine2 = Eigen::ArrayXd::Zero(n1), terms(n1), sizes(n1);
    double amplitude1 = 0;
    const double *lost1 = work.null.first_mean.data(), *slope1 = lost1 + n1;
    for (Eigen::Index c = 0; c < n2; ++c) {
        double *x = field.col(c).data(), *x2 = field.col(n2 + c).data();
        const Line line{n1,
                        lost1,
                        slope1,
                        e1.data(),
                        measure1.data(),
                        work.null.second_mean[c],
                        work.null.second_mean[n2 + c],
                        e2[c],
                        measure2[c]};
        apply_kernel(powers, gain, line, lost.col(c).data(), measure.col(c).data(), {x, x + n1, x2, x2 + n1},
                     terms.data(), sizes.data(), bias1.data(), bias2.data());
        // Apart, because the compiler does not vectorise sums.
        rows += terms;
        size1 += sizes;
        size2[c] = sizes.sum();
        cosine2 += probe2.cosine[c] * terms;
        sine2 += probe2.sine[c] * terms;
        amplitude1 += std::hypot((probe1.cosine * terms).sum(), (probe1.sine * terms).sum());
    }
    PairIntegral result;
    const double total = size1.sum() + 1e-300;
    const double amplitude2 = (cosine2.square() + sine2.square()).sqrt().sum();
    const double sampling1 = sampling_error(amplitude1, 0, total) / total,
                 sampling2 = sampling_error(amplitude2, 0, total) / total;
    const double ends1 = cut_tails(size1) / total, ends2 = cut_tails(size2) / total;
    const double inner = 3 * accuracy;  // of two heads and two laws
    result.both = {rows.sum(), (sampling1 + sampling2 + ends1 + ends2 + inner) * total};
    if (!gradient) return result;

    // Contributions are known along one axis; derivatives are taken to lose a factor 4 along the other.
    const double across = 4 * (std::max(sampling1, sampling2) + std::max(ends1, ends2)) + 3 * inner;
    const auto bounded = [&](const Eigen::ArrayXd& contributions) {
        return lattice_sum(contributions, across, contributions.size() == n1 ? probe1 : probe2);
    };
    result.first_bias = bounded(bias1);
    result.second_bias = bounded(bias2);
    {
        const PairFactors& f = work.null;
        auto left = work.left.resized(2 * n1, f.weights.size());
        auto left_shifted = work.left_shifted.resized(2 * n1, f.weights.size());
        auto right = work.right.resized(2 * n2, f.weights.size());
        left.noalias() = field * f.second().topRows(2 * n2);
        left_shifted.noalias() = field * f.second().middleRows(n2, 2 * n2);
        right.noalias() = field.transpose() * f.first().topRows(2 * n1);
        const auto fold = [](const Eigen::VectorXd& stacked) -> Eigen::ArrayXd {  // both blocks belong to one row
            const Eigen::Index n = stacked.size() / 2;
            return stacked.head(n) + stacked.tail(n);
        };
        const Eigen::VectorXd row_phi = field.topLeftCorner(n1, n2).rowwise().sum();
        const Eigen::VectorXd row_p1 = field.bottomLeftCorner(n1, n2).rowwise().sum();
        const Eigen::VectorXd column_phi = field.topLeftCorner(n1, n2).colwise().sum().transpose();
        const Eigen::VectorXd column_p2 = field.topRightCorner(n1, n2).colwise().sum().transpose();
        const auto variance = [&](const ScratchMatrix::View& product, const PairFactors::View& values,
                                  const Eigen::VectorXd& means, const Eigen::VectorXd& phi, const Eigen::VectorXd& p,
                                  Eigen::Index n) -> Eigen::ArrayXd {
            const Eigen::VectorXd joint = contract(values.bottomRows(2 * n), product, f.weights);
            return 0.5 * (fold(joint) - phi.array() * means.segment(2 * n, n).array() -
                          p.array() * means.segment(3 * n, n).array());
        };
        result.null.first.variance = bounded(variance(left, f.first(), f.first_mean, row_phi, row_p1, n1));
        result.null.second.variance = bounded(variance(right, f.second(), f.second_mean, column_phi, column_p2, n2));
        const Eigen::VectorXd joint = contract(f.first().middleRows(n1, 2 * n1), left_shifted, f.weights);
        result.null.covariance = bounded(fold(joint));
    }
    const Eigen::VectorXd row = measure.rowwise().sum(), column = measure.colwise().sum().transpose();
    for (std::size_t k = 0; k < relevant.size(); ++k) {
        const PairFactors& f = work.relevant[k];
        auto left = work.left.resized(n1, f.weights.size());
        auto left_shifted = work.left_shifted.resized(n1, f.weights.size());
        auto right = work.right.resized(n2, f.weights.size());
        left.noalias() = measure * f.second().topRows(n2);
        left_shifted.noalias() = measure * f.second().middleRows(n2, n2);
        right.noalias() = measure.transpose() * f.first().topRows(n1);
        // The d-th derivative of phi_e = 1 - lost_i - lost_j + E lost_i lost_j in one argument.
        const auto derivative = [&](int d, const ScratchMatrix::View& product, const PairFactors::View& values,
                                    const Eigen::VectorXd& means, const Eigen::VectorXd& mass, Eigen::Index n) {
            const Eigen::VectorXd joint = contract(values.middleRows(d * n, n), product, f.weights);
            return bounded((weights[k] / d) * (joint.array() - mass.array() * means.segment(d * n, n).array()));
        };
        PairLawAdjoint adjoint;
        adjoint.first = {derivative(1, left, f.first(), f.first_mean, row, n1),
                         derivative(2, left, f.first(), f.first_mean, row, n1)};
        adjoint.second = {derivative(1, right, f.second(), f.second_mean, column, n2),
                          derivative(2, right, f.second(), f.second_mean, column, n2)};
        const Eigen::VectorXd joint = contract(f.first().middleRows(n1, n1), left_shifted, f.weights);
        adjoint.covariance = bounded(weights[k] * joint.array());
        result.relevant.push_back(adjoint);
    }
    return result;
}

}  // namespace

void expand(const RaceSettings& settings, const std::vector<int>& terms, HeadRace& head) {
    const double spacing = first_spacing(settings);
    head.lattice = time_lattice(head.range, race_spacing(spacing, head.range), spacing, true);
    head.expansions.clear();
    const double accuracy = inner_accuracy(settings), cut = cut_mass(settings);
    const auto law = [&](const HeadLaw& scores, int count, int derivatives, double wanted, double tail) {
        head.expansions.push_back(race_expansion(head.lattice.nodes + scores.mean,
                                                 std::sqrt(std::max(scores.variance, 0.0)), derivatives, count, wanted,
                                                 tail));
    };
    law(head.null, terms[0], settings.gradient ? 4 : 2, settings.gradient ? accuracy / 10 : accuracy,
        cut / static_cast<double>(settings.tokens - 1) / 10);
    for (std::size_t k = 0; k < head.relevant.size(); ++k)
        law(head.relevant[k], terms[k + 1], settings.gradient ? 3 : 1, accuracy, cut / 10);
}

PairIntegral pair_integral(const RaceSettings& settings, const HeadRace& first, const HeadRace& second,
                           const PairLaw& null, const std::vector<PairLaw>& relevant,
                           const std::vector<double>& weights) {
    thread_local PairWorkspace workspace;
    return refine(settings, [&](double spacing, bool stretched) {
        return integrate(settings, first, second, null, relevant, weights, spacing, stretched, workspace);
    });
}

}  // namespace lemmata
