#include <lemmata/race.hpp>
#include <lemmata/race_integrals.hpp>
#include <lemmata/race_kernel.hpp>

#include <cmath>

namespace lemmata {
namespace {

// Values on the lattice of one head: lost and its derivatives, block after block.
Eigen::MatrixXd race_values(const TimeLattice& lattice, const HeadLaw& law, int derivatives, double accuracy,
                            double tail) {
    const double s = std::sqrt(std::max(law.variance, 0.0));
    Eigen::MatrixXd values(derivatives * lattice.nodes.size(), 1);
    smoothed_race(lattice.nodes + law.mean, Eigen::ArrayXd::Zero(1), s, accuracy, tail, derivatives, values);
    return values;
}

HeadIntegral integrate(const RaceSettings& settings, const HeadRace& head, const std::vector<double>& weights,
                       double spacing, bool stretched) {
    const TimeLattice lattice = time_lattice(head.range, race_spacing(spacing, head.range), spacing, stretched);
    const Eigen::Index n = lattice.nodes.size();
    // Each derivative of a race function loses about a digit of the inner rule; up to four are taken.
    const double accuracy = inner_accuracy(settings) / (settings.gradient ? 1000 : 10), cut = cut_mass(settings);
    const TokenPowers powers(settings.tokens);
    const Eigen::ArrayXd null =
        race_values(lattice, head.null, settings.gradient ? 5 : 3, accuracy, cut / powers.one / 10).array();
    const auto block = [&](const auto& values, int d) { return values.segment(d * n, n); };

    Eigen::ArrayXd lost = Eigen::ArrayXd::Zero(n);
    std::vector<Eigen::ArrayXd> parts;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        parts.emplace_back(
            race_values(lattice, head.relevant[k], settings.gradient ? 3 : 1, accuracy, cut / 10).array());
        lost += weights[k] * block(parts.back(), 0);
    }
    const bool gain = settings.form == Form::gain;
    Eigen::ArrayXd both(n), both_kernel(n), both_variance(n), both_bias(n);
    Eigen::ArrayXd misses(n), misses_kernel(n), misses_variance(n), misses_bias(n);
    for (Eigen::Index a = 0; a < n; ++a) {
        const double p = null[n + a], lost2 = null[2 * n + a];
        const double e = settings.biased ? vector_exp(std::min(lattice.nodes[a] + head.bias, 6.6)) : 0;
        const double measure = lattice.weights[a] * vector_exp(-e);
        const auto power = powers(null[a]);
        const KernelPoint k = kernel(powers, power, p, p, p - lost2, e, e);  // E e^{2x} g = lost' - lost''
        const double running = measure * (1 - lost[a]), missing = gain ? -measure * lost[a] : running;
        both[a] = missing * k.n + running * k.b;
        both_kernel[a] = measure * (k.n + k.b);
        both_bias[a] = e * (missing * (k.n_e1 + k.n_e2 - k.n) - running * k.b);
        const double miss = powers.one * p * power.p2 + e * power.p1;
        misses[a] = missing * miss;
        misses_kernel[a] = measure * miss;
        misses_bias[a] = missing * e * (power.p1 - miss);
        if (!settings.gradient) continue;
        // Price: a variance acts as half the second derivative, on phi_0 = 1 - lost, p = lost', lost' - lost''.
        const double lost3 = null[3 * n + a], lost4 = null[4 * n + a];
        both_variance[a] =
            0.5 * (-(missing * k.n_phi + running * k.b_phi) * lost2 + missing * (k.n_p1 + k.n_p2) * lost3 +
                   (missing * k.n_d12 + running * k.b_d12) * (lost3 - lost4));
        misses_variance[a] =
            0.5 * missing * powers.one * (-(powers.two * p * power.p3 + e * power.p2) * lost2 + power.p2 * lost3);
    }
    const double other_errors = 2 * inner_accuracy(settings);
    const Probe probe(n);
    HeadIntegral result;
    result.both = lattice_sum(both, other_errors, probe);
    result.misses = lattice_sum(misses, other_errors, probe);
    if (!settings.gradient) return result;
    result.both_null_variance = lattice_sum(both_variance, other_errors, probe);
    result.misses_null_variance = lattice_sum(misses_variance, other_errors, probe);
    result.both_bias = lattice_sum(both_bias, other_errors, probe);
    result.misses_bias = lattice_sum(misses_bias, other_errors, probe);
    for (std::size_t k = 0; k < weights.size(); ++k) {
        const auto adjoint = [&](const Eigen::ArrayXd& measure) {
            return HeadLawAdjoint{lattice_sum(-weights[k] * measure * block(parts[k], 1), other_errors, probe),
                                  lattice_sum(-0.5 * weights[k] * measure * block(parts[k], 2), other_errors, probe)};
        };
        result.both_relevant.push_back(adjoint(both_kernel));
        result.misses_relevant.push_back(adjoint(misses_kernel));
    }
    return result;
}

}  // namespace

HeadIntegral head_integral(const RaceSettings& settings, const HeadRace& head, const std::vector<double>& weights) {
    return refine(settings, [&](double spacing, bool stretched) {
        // A line costs next to nothing beside the pairs' planes: finer, for a smaller error.
        return integrate(settings, head, weights, 0.85 * spacing, stretched);
    });
}

}  // namespace lemmata
