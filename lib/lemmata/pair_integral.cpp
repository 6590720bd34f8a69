#include <lemmata/race.hpp>
#include <lemmata/race_integrals.hpp>
#include <lemmata/race_kernel.hpp>

#include <algorithm>
#include <cmath>

namespace lemmata {

// One law of a pair on the lattice: race functions given the common normal z, for each node of z.
struct PairFactors {
    Eigen::VectorXd weights;                  // of z
    Eigen::MatrixXd first, second;            // (derivatives n) x nodes of z
    Eigen::VectorXd first_mean, second_mean;  // averaged over z
};

class PairWorkspace {
public:
    PairFactors null;
    std::vector<PairFactors> relevant;
    Eigen::MatrixXd weighted, field, measure, lost, left, left_shifted, right;
};

void PairWorkspaceDeleter::operator()(PairWorkspace* workspace) const {
    delete workspace;
}
std::unique_ptr<PairWorkspace, PairWorkspaceDeleter> make_pair_workspace() {
    return std::unique_ptr<PairWorkspace, PairWorkspaceDeleter>(new PairWorkspace);
}

namespace {

// chi_i = shared_i z + own_i z_i, the correlation being carried by z alone.
struct Split {
    double shared1, shared2, own1, own2;
};
Split split(const PairLaw& law) {
    const double s1 = std::sqrt(std::max(law.first.variance, 0.0)), s2 = std::sqrt(std::max(law.second.variance, 0.0));
    const double correlation = s1 * s2 > 0 ? std::clamp(law.covariance / (s1 * s2), -1.0, 1.0) : 0;
    const double shared = std::sqrt(std::abs(correlation)), own = std::sqrt(1 - std::abs(correlation));
    return {s1 * shared, correlation < 0 ? -s2 * shared : s2 * shared, s1 * own, s2 * own};
}

void compute_factors(const PairLaw& law, const RaceLattice& u1, const RaceLattice& u2, int derivatives, double accuracy,
                     double tail, PairFactors& factors) {
    const Split parts = split(law);
    const QuadratureRule z =
        smoothing_rule(parts.shared1, parts.own1, std::abs(parts.shared2), parts.own2, accuracy, tail);
    factors.weights = z.weights;
    smoothed_race(u1.nodes + law.first.mean, parts.shared1 * z.nodes.array(), parts.own1,
                  smoothing_rule(parts.own1, 0, accuracy, tail), derivatives, factors.first);
    smoothed_race(u2.nodes + law.second.mean, parts.shared2 * z.nodes.array(), parts.own2,
                  smoothing_rule(parts.own2, 0, accuracy, tail), derivatives, factors.second);
    factors.first_mean = factors.first * z.weights;
    factors.second_mean = factors.second * z.weights;
}

// How wide the kernel's ridge is across, in u of the first head: nearly equal or opposite heads race
// nearly the same race, and then u1 and u2 are tied to each other more closely than each is on its own.
double ridge_spacing(double spacing, const PairLaw& null) {
    const Split parts = split(null);
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

PairIntegral integrate(const RaceSettings& settings, const HeadRace& first, const HeadRace& second, const PairLaw& null,
                       const std::vector<PairLaw>& relevant, const std::vector<double>& weights, double spacing,
                       bool stretched, PairWorkspace& work) {
    const RaceLattice u1 = race_lattice(first.range, head_spacing(spacing, first, null), stretched);
    const RaceLattice u2 = race_lattice(second.range, head_spacing(spacing, second, swapped(null)), stretched);
    const Eigen::Index n1 = u1.nodes.size(), n2 = u2.nodes.size();
    const double accuracy = inner_accuracy(settings), cut = cut_mass(settings);
    const TokenPowers powers(settings.tokens);
    const bool gradient = settings.gradient;

    // 1 - phi_e = E[lost_i + lost_j - lost_i lost_j].
    work.relevant.resize(relevant.size());
    work.lost.setZero(n1, n2);
    for (std::size_t k = 0; k < relevant.size(); ++k) {
        PairFactors& part = work.relevant[k];
        compute_factors(relevant[k], u1, u2, gradient ? 3 : 1, accuracy, cut / 10, part);
        work.weighted.noalias() = part.first.topRows(n1) * (weights[k] * part.weights).asDiagonal();
        work.lost.noalias() -= work.weighted * part.second.topRows(n2).transpose();
        work.lost.colwise() += weights[k] * part.first_mean.head(n1);
        work.lost.rowwise() += weights[k] * part.second_mean.head(n2).transpose();
    }
    // E lost_i lost_j of the null token and its derivatives d1, d2, d12, as blocks of one product.
    // Each derivative of a race function loses about a digit of the inner rule.
    compute_factors(null, u1, u2, gradient ? 4 : 2, gradient ? accuracy / 10 : accuracy, cut / powers.one / 10,
                    work.null);
    work.weighted.noalias() = work.null.first.topRows(2 * n1) * work.null.weights.asDiagonal();
    work.field.noalias() = work.weighted * work.null.second.topRows(2 * n2).transpose();

    const auto bias_terms = [&](const RaceLattice& u, double bias) {
        Eigen::ArrayXd e = Eigen::ArrayXd::Zero(u.nodes.size());
        if (settings.biased)
            for (Eigen::Index a = 0; a < e.size(); ++a) e[a] = vector_exp(std::min(u.nodes[a] + bias, 6.6));
        return e;
    };
    const Eigen::ArrayXd e1 = bias_terms(u1, first.bias), e2 = bias_terms(u2, second.bias);
    const Eigen::ArrayXd measure1 = u1.weights * (-e1).exp(), measure2 = u2.weights * (-e2).exp();
    work.measure.resize(n1, n2);
    const bool gain = settings.form == Form::gain;
    Eigen::ArrayXd rows = Eigen::ArrayXd::Zero(n1), size1 = Eigen::ArrayXd::Zero(n1), size2(n2);
    Eigen::ArrayXd bias1 = Eigen::ArrayXd::Zero(n1), bias2 = Eigen::ArrayXd::Zero(n1);
    // Amplitudes at the probe frequency line by line, so that no cancellation between lines hides them.
    Eigen::ArrayXd cosine2 = Eigen::ArrayXd::Zero(n1), sine2 = Eigen::ArrayXd::Zero(n1);
    double amplitude1 = 0;
    const auto phases = [](Eigen::Index n) {
        return Eigen::ArrayXd::LinSpaced(n, 0, static_cast<double>(n - 1)) * probe_frequency;
    };
    const Eigen::ArrayXd cosine1 = phases(n1).cos(), sine1 = phases(n1).sin();
    const double *lost1 = work.null.first_mean.data(), *slope1 = lost1 + n1;
    for (Eigen::Index c = 0; c < n2; ++c) {
        const double lost2 = work.null.second_mean[c], slope2 = work.null.second_mean[n2 + c];
        const double weight2 = measure2[c], bias_term2 = e2[c];
        const double phase = probe_frequency * static_cast<double>(c), cosine_here = std::cos(phase),
                     sine_here = std::sin(phase);
        double* x = work.field.col(c).data();
        double* x2 = work.field.col(n2 + c).data();
        double *x1 = x + n1, *x12 = x2 + n1;
        double* measure = work.measure.col(c).data();
        const double* lost = work.lost.col(c).data();
        double sum = 0, cosine = 0, sine = 0;
        for (Eigen::Index a = 0; a < n1; ++a) {
            const double p1 = slope1[a] - x1[a], p2 = slope2 - x2[a], d12 = x12[a];
            const auto power = powers(lost1[a] + lost2 - x[a]);
            const KernelPoint k = kernel(powers, power, p1, p2, d12, e1[a], bias_term2);
            const double weight = measure1[a] * weight2;
            const double running = weight * (1 - lost[a]), missing = gain ? -weight * lost[a] : running;
            measure[a] = weight * (k.n + k.b);
            const double term = missing * k.n + running * k.b;
            rows[a] += term;
            const double absolute = std::abs(missing) * k.n + running * k.b;
            size1[a] += absolute;
            sum += absolute;
            cosine2[a] += cosine_here * term;
            sine2[a] += sine_here * term;
            cosine += cosine1[a] * term;
            sine += sine1[a] * term;
            bias1[a] += e1[a] * (missing * (k.n_e1 - k.n) - running * k.b);
            bias2[a] += bias_term2 * (missing * (k.n_e2 - k.n) - running * k.b);
            // In place: the adjoint of each block, with the sign by which the block enters.
            x[a] = missing * k.n_phi + running * k.b_phi;
            x1[a] = -missing * k.n_p1;
            x2[a] = -missing * k.n_p2;
            x12[a] = missing * k.n_d12 + running * k.b_d12;
        }
        size2[c] = sum;
        amplitude1 += std::hypot(cosine, sine);
    }
    PairIntegral result;
    const double total = size1.sum() + 1e-300;
    const double amplitude2 = (cosine2.square() + sine2.square()).sqrt().sum();
    const double sampling1 = sampling_error(amplitude1, 0, total) / total,
                 sampling2 = sampling_error(amplitude2, 0, total) / total;
    const double ends1 = cut_tails(size1) / total, ends2 = cut_tails(size2) / total;
    const double inner = 2 * accuracy;
    result.both = {rows.sum(), (sampling1 + sampling2 + ends1 + ends2 + inner) * total};
    if (!gradient) return result;

    // Contributions are known along one axis; derivatives are taken to lose a factor 10 along the other.
    const double across = 10 * (std::max(sampling1, sampling2) + std::max(ends1, ends2)) + inner;
    const auto bounded = [&](const auto& contributions) { return lattice_sum(contributions, across); };
    result.first_bias = bounded(bias1);
    result.second_bias = bounded(bias2);
    {
        const PairFactors& f = work.null;
        work.left.noalias() = work.field * f.second.topRows(2 * n2);
        work.left_shifted.noalias() = work.field * f.second.middleRows(n2, 2 * n2);
        work.right.noalias() = work.field.transpose() * f.first.topRows(2 * n1);
        const auto fold = [](const Eigen::VectorXd& stacked) -> Eigen::ArrayXd {  // both blocks belong to one row
            const Eigen::Index n = stacked.size() / 2;
            return stacked.head(n) + stacked.tail(n);
        };
        const Eigen::VectorXd row_phi = work.field.topLeftCorner(n1, n2).rowwise().sum();
        const Eigen::VectorXd row_p1 = work.field.bottomLeftCorner(n1, n2).rowwise().sum();
        const Eigen::VectorXd column_phi = work.field.topLeftCorner(n1, n2).colwise().sum().transpose();
        const Eigen::VectorXd column_p2 = work.field.topRightCorner(n1, n2).colwise().sum().transpose();
        const auto variance = [&](const Eigen::MatrixXd& product, const Eigen::MatrixXd& values,
                                  const Eigen::VectorXd& means, const Eigen::VectorXd& phi, const Eigen::VectorXd& p,
                                  Eigen::Index n) -> Eigen::ArrayXd {
            const Eigen::VectorXd joint = values.bottomRows(2 * n).cwiseProduct(product) * f.weights;
            return 0.5 * (fold(joint) - phi.array() * means.segment(2 * n, n).array() -
                          p.array() * means.segment(3 * n, n).array());
        };
        result.null.first.variance = bounded(variance(work.left, f.first, f.first_mean, row_phi, row_p1, n1));
        result.null.second.variance = bounded(variance(work.right, f.second, f.second_mean, column_phi, column_p2, n2));
        const Eigen::VectorXd joint = f.first.middleRows(n1, 2 * n1).cwiseProduct(work.left_shifted) * f.weights;
        result.null.covariance = bounded(fold(joint));
    }
    const Eigen::VectorXd row = work.measure.rowwise().sum(), column = work.measure.colwise().sum().transpose();
    for (std::size_t k = 0; k < relevant.size(); ++k) {
        const PairFactors& f = work.relevant[k];
        work.left.noalias() = work.measure * f.second.topRows(n2);
        work.left_shifted.noalias() = work.measure * f.second.middleRows(n2, n2);
        work.right.noalias() = work.measure.transpose() * f.first.topRows(n1);
        // The d-th derivative of phi_e = 1 - lost_i - lost_j + E lost_i lost_j in one argument.
        const auto derivative = [&](int d, const Eigen::MatrixXd& product, const Eigen::MatrixXd& values,
                                    const Eigen::VectorXd& means, const Eigen::VectorXd& mass, Eigen::Index n) {
            const Eigen::VectorXd joint = values.middleRows(d * n, n).cwiseProduct(product) * f.weights;
            return bounded((weights[k] / d) * (joint.array() - mass.array() * means.segment(d * n, n).array()));
        };
        PairLawAdjoint adjoint;
        adjoint.first = {derivative(1, work.left, f.first, f.first_mean, row, n1),
                         derivative(2, work.left, f.first, f.first_mean, row, n1)};
        adjoint.second = {derivative(1, work.right, f.second, f.second_mean, column, n2),
                          derivative(2, work.right, f.second, f.second_mean, column, n2)};
        const Eigen::VectorXd joint = f.first.middleRows(n1, n1).cwiseProduct(work.left_shifted) * f.weights;
        adjoint.covariance = bounded(weights[k] * joint.array());
        result.relevant.push_back(adjoint);
    }
    return result;
}

}  // namespace

PairIntegral pair_integral(const RaceSettings& settings, const HeadRace& first, const HeadRace& second,
                           const PairLaw& null, const std::vector<PairLaw>& relevant,
                           const std::vector<double>& weights, PairWorkspace& workspace) {
    return refine(settings, [&](double spacing, bool stretched) {
        return integrate(settings, first, second, null, relevant, weights, spacing, stretched, workspace);
    });
}

}  // namespace lemmata
