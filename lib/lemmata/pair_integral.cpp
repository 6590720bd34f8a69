#include <lemmata/race.hpp>
#include <lemmata/race_integrals.hpp>
#include <lemmata/race_kernel.hpp>

#include <algorithm>
#include <cmath>

namespace lemmata {

// One law of a pair on the lattice: the race functions of each head as combinations of few common columns,
//     E[f_i f_j](u1, u2) = sum_k weights_k first(u1, k) second(u2, k).
class PairFactors {
public:
    using View = Eigen::Map<const Eigen::MatrixXd>;
    Eigen::VectorXd weights;
    Eigen::VectorXd first_mean, second_mean;  // (derivatives n): each head's average alone
    [[nodiscard]] View first() const { return {first_, first_mean.size(), weights.size()}; }
    [[nodiscard]] View second() const { return {second_, second_mean.size(), weights.size()}; }

    // Mehler's expansion, from what the heads have prepared.
    void expand(double correlation, int terms, const RaceExpansion& first, const RaceExpansion& second) {
        weights.resize(terms);
        weights[0] = 1;
        for (Eigen::Index k = 1; k < terms; ++k) weights[k] = weights[k - 1] * correlation;
        first_ = first.values.data();
        second_ = second.values.data();
        first_mean = first.values.col(0);
        second_mean = second.values.col(0);
    }

    // The direct split, for any correlation.
    void split(const PairLaw& law, const TimeLattice& u1, const TimeLattice& u2, int derivatives, double accuracy,
               double tail);

private:
    const double *first_ = nullptr, *second_ = nullptr;
    Eigen::MatrixXd own_first_, own_second_;
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

double correlation(const PairLaw& law) {
    const double product = std::sqrt(std::max(law.first.variance, 0.0)) * std::sqrt(std::max(law.second.variance, 0.0));
    return product > 0 ? std::clamp(law.covariance / product, -1.0, 1.0) : 0;
}

// chi_i = shared_i z + own_i z_i, the correlation being carried by z alone.
struct Split {
    double shared1, shared2, own1, own2;
};
Split split_law(const PairLaw& law) {
    const double s1 = std::sqrt(std::max(law.first.variance, 0.0)), s2 = std::sqrt(std::max(law.second.variance, 0.0));
    const double rho = correlation(law), shared = std::sqrt(std::abs(rho)), own = std::sqrt(1 - std::abs(rho));
    return {s1 * shared, rho < 0 ? -s2 * shared : s2 * shared, s1 * own, s2 * own};
}

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
    const Split parts = split_law(null);
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
        shared ? first.lattice : time_lattice(first.range, head_spacing(spacing, first, null), stretched);
    const TimeLattice u2 =
        shared ? second.lattice : time_lattice(second.range, head_spacing(spacing, second, swapped(null)), stretched);
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
    work.lost.setZero(n1, n2);
    for (std::size_t k = 0; k < relevant.size(); ++k) {
        PairFactors& part = work.relevant[k];
        factorise(relevant[k], k + 1, gradient ? 3 : 1, accuracy, cut / 10, part);
        work.weighted.noalias() = part.first().topRows(n1) * (weights[k] * part.weights).asDiagonal();
        work.lost.noalias() -= work.weighted * part.second().topRows(n2).transpose();
        work.lost.colwise() += weights[k] * part.first_mean.head(n1);
        work.lost.rowwise() += weights[k] * part.second_mean.head(n2).transpose();
    }
    // E lost_i lost_j of the null token and its derivatives d1, d2, d12, as blocks of one product.
    // Each derivative of a race function loses about a digit of the inner rule.
    factorise(null, 0, gradient ? 4 : 2, gradient ? accuracy / 10 : accuracy, cut / powers.one / 10, work.null);
    work.weighted.noalias() = work.null.first().topRows(2 * n1) * work.null.weights.asDiagonal();
    work.field.noalias() = work.weighted * work.null.second().topRows(2 * n2).transpose();

    const auto bias_terms = [&](const TimeLattice& u, double bias) {
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
    const Probe probe1(n1), probe2(n2);
    Eigen::ArrayXd cosine2 = Eigen::ArrayXd::Zero(n1), sine2 = Eigen::ArrayXd::Zero(n1), terms(n1), sizes(n1);
    double amplitude1 = 0;
    const double *lost1 = work.null.first_mean.data(), *slope1 = lost1 + n1;
    for (Eigen::Index c = 0; c < n2; ++c) {
        double *x = work.field.col(c).data(), *x2 = work.field.col(n2 + c).data();
        const Line line{n1,
                        lost1,
                        slope1,
                        e1.data(),
                        measure1.data(),
                        work.null.second_mean[c],
                        work.null.second_mean[n2 + c],
                        e2[c],
                        measure2[c]};
        apply_kernel(powers, gain, line, work.lost.col(c).data(), work.measure.col(c).data(), {x, x + n1, x2, x2 + n1},
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
        work.left.noalias() = work.field * f.second().topRows(2 * n2);
        work.left_shifted.noalias() = work.field * f.second().middleRows(n2, 2 * n2);
        work.right.noalias() = work.field.transpose() * f.first().topRows(2 * n1);
        const auto fold = [](const Eigen::VectorXd& stacked) -> Eigen::ArrayXd {  // both blocks belong to one row
            const Eigen::Index n = stacked.size() / 2;
            return stacked.head(n) + stacked.tail(n);
        };
        const Eigen::VectorXd row_phi = work.field.topLeftCorner(n1, n2).rowwise().sum();
        const Eigen::VectorXd row_p1 = work.field.bottomLeftCorner(n1, n2).rowwise().sum();
        const Eigen::VectorXd column_phi = work.field.topLeftCorner(n1, n2).colwise().sum().transpose();
        const Eigen::VectorXd column_p2 = work.field.topRightCorner(n1, n2).colwise().sum().transpose();
        const auto variance = [&](const Eigen::MatrixXd& product, const PairFactors::View& values,
                                  const Eigen::VectorXd& means, const Eigen::VectorXd& phi, const Eigen::VectorXd& p,
                                  Eigen::Index n) -> Eigen::ArrayXd {
            const Eigen::VectorXd joint = values.bottomRows(2 * n).cwiseProduct(product) * f.weights;
            return 0.5 * (fold(joint) - phi.array() * means.segment(2 * n, n).array() -
                          p.array() * means.segment(3 * n, n).array());
        };
        result.null.first.variance = bounded(variance(work.left, f.first(), f.first_mean, row_phi, row_p1, n1));
        result.null.second.variance =
            bounded(variance(work.right, f.second(), f.second_mean, column_phi, column_p2, n2));
        const Eigen::VectorXd joint = f.first().middleRows(n1, 2 * n1).cwiseProduct(work.left_shifted) * f.weights;
        result.null.covariance = bounded(fold(joint));
    }
    const Eigen::VectorXd row = work.measure.rowwise().sum(), column = work.measure.colwise().sum().transpose();
    for (std::size_t k = 0; k < relevant.size(); ++k) {
        const PairFactors& f = work.relevant[k];
        work.left.noalias() = work.measure * f.second().topRows(n2);
        work.left_shifted.noalias() = work.measure * f.second().middleRows(n2, n2);
        work.right.noalias() = work.measure.transpose() * f.first().topRows(n1);
        // The d-th derivative of phi_e = 1 - lost_i - lost_j + E lost_i lost_j in one argument.
        const auto derivative = [&](int d, const Eigen::MatrixXd& product, const PairFactors::View& values,
                                    const Eigen::VectorXd& means, const Eigen::VectorXd& mass, Eigen::Index n) {
            const Eigen::VectorXd joint = values.middleRows(d * n, n).cwiseProduct(product) * f.weights;
            return bounded((weights[k] / d) * (joint.array() - mass.array() * means.segment(d * n, n).array()));
        };
        PairLawAdjoint adjoint;
        adjoint.first = {derivative(1, work.left, f.first(), f.first_mean, row, n1),
                         derivative(2, work.left, f.first(), f.first_mean, row, n1)};
        adjoint.second = {derivative(1, work.right, f.second(), f.second_mean, column, n2),
                          derivative(2, work.right, f.second(), f.second_mean, column, n2)};
        const Eigen::VectorXd joint = f.first().middleRows(n1, n1).cwiseProduct(work.left_shifted) * f.weights;
        adjoint.covariance = bounded(weights[k] * joint.array());
        result.relevant.push_back(adjoint);
    }
    return result;
}

}  // namespace

void PairFactors::split(const PairLaw& law, const TimeLattice& u1, const TimeLattice& u2, int derivatives,
                        double accuracy, double tail) {
    const Split parts = split_law(law);
    const QuadratureRule z =
        smoothing_rule(parts.shared1, parts.own1, std::abs(parts.shared2), parts.own2, accuracy, tail);
    weights = z.weights;
    smoothed_race(u1.nodes + law.first.mean, parts.shared1 * z.nodes.array(), parts.own1, accuracy, tail, derivatives,
                  own_first_);
    smoothed_race(u2.nodes + law.second.mean, parts.shared2 * z.nodes.array(), parts.own2, accuracy, tail, derivatives,
                  own_second_);
    first_ = own_first_.data();
    second_ = own_second_.data();
    first_mean = own_first_ * weights;
    second_mean = own_second_ * weights;
}

void expand(const RaceSettings& settings, const std::vector<int>& terms, HeadRace& head) {
    head.lattice = time_lattice(head.range, race_spacing(first_spacing(settings), head.range), true);
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
                           const std::vector<double>& weights, PairWorkspace& workspace) {
    return refine(settings, [&](double spacing, bool stretched) {
        return integrate(settings, first, second, null, relevant, weights, spacing, stretched, workspace);
    });
}

}  // namespace lemmata
