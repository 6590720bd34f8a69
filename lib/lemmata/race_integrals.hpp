// The two integrals of which the loss of softmax and softmax-1 consists, with their derivatives.
//
// The first form of these integrals (loss_reference.hpp) integrated by parts, so that the relevant
// token's law enters only through phi_e, undifferentiated, and every term is positive. For heads i, j
// let phi_0, phi_e be a null and the relevant token's chance to be running at (u1, u2); p1 = -d1 phi_0,
// p2 likewise; e1 = e^{u1 + b_i}, e2 = e^{u2 + b_j} and G = exp(-e1 - e2) for softmax-1, e = 0 and
// G = 1 for softmax. Then, s = sigma / v being the normalised attention,
//   N_ij = E[(1 - s_i,eps)(1 - s_j,eps) + sum_{l != eps} s_il s_jl] = iint phi_e K,
//   K = G [2(L-1) d12 phi_0 phi_0^{L-2} + (L-1)(L-2) p1 p2 phi_0^{L-3}
//          + (L-1)(p1 e2 + p2 e1) phi_0^{L-2} + e1 e2 phi_0^{L-1}],
//   S_i  = E[1 - s_i,eps] = int phi_e G [(L-1) p phi_0^{L-2} + e phi_0^{L-1}] du,
// and N_ii is the one-dimensional integral with E e^{2(u+chi)} g(u+chi) in the place of d12 phi_0. Then
//   E = (1-v)^2 + (2v(1-v)/H) sum_i S_i + (v/H)^2 sum_ij N_ij.
// Since the part of K without the picks of one null token integrates to 1, S_i and N_ij may also be
// computed as 1 plus integrals with lost_e = 1 - phi_e in the place of phi_e (Form::gain): then small
// departures from the loss 1 of an attention that has learnt nothing keep their digits, as small
// losses do in Form::miss.
//
// Derivatives follow from Price's theorem (a mean differentiates phi once, a covariance twice).
// A pair's law is split as chi_i = l_i z + s_i z_i, chi_j = l_j z + s_j z_j with independent normals,
// so that phi_e and phi_0 are matrix products over nodes for z, for every correlation from -1 to 1.
//
// Errors: from the alternating sums over the lattice (docs/accuracy.md), plus what is cut and rounded.
// Cost for each pair: n^2 points, n z s exponentials, a few products of n x z by n x n matrices.
#pragma once

#include <lemmata/race_expansion.hpp>
#include <lemmata/race_lattice.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace lemmata {

// One head's scores, or two heads', under one law.
struct HeadLaw {
    double mean = 0, variance = 0;
};
struct PairLaw {
    HeadLaw first, second;
    double covariance = 0;
};

// A number and the error it is known to.
struct Bounded {
    double value = 0, error = 0;
};

struct HeadLawAdjoint {
    Bounded mean, variance;
};
struct PairLawAdjoint {
    HeadLawAdjoint first, second;
    Bounded covariance;
};

enum class Form { miss, gain };

// What both integrals need besides the laws.
struct RaceSettings {
    std::int64_t tokens = 2;
    bool biased = false;  // softmax-1
    double tolerance = 1e-9;
    bool gradient = false;
    Form form = Form::miss;
};

// Shares of the tolerance: mass cut at each end of the lattice; relative accuracy of inner rules.
inline double cut_mass(const RaceSettings& settings) {
    return settings.tolerance / 50;
}
inline double inner_accuracy(const RaceSettings& settings) {
    return settings.tolerance / 100;
}

// The error of a sum along a lattice, from the sum itself. The trapezoid rule is off by the integrand's
// Fourier transform at frequency 2 pi/h; half of that is the highest frequency the lattice sees, and the
// transform falls at least exponentially, so its square there estimates the error. A little less than half
// is taken: at exactly half (the alternating sum) the phase can hide the amplitude.
struct Probe {
    explicit Probe(Eigen::Index count)
        : cosine((frequency * Eigen::ArrayXd::LinSpaced(count, 0, static_cast<double>(count - 1))).cos()),
          sine((frequency * Eigen::ArrayXd::LinSpaced(count, 0, static_cast<double>(count - 1))).sin()) {}
    static constexpr double frequency = 0.92 * 3.14159265358979323846;
    Eigen::ArrayXd cosine, sine;
};
inline double sampling_error(double cosine_sum, double sine_sum, double scale) {
    return 4 * (cosine_sum * cosine_sum + sine_sum * sine_sum) / (scale + 1e-300);
}

// What was cut: the tails fall ever faster, so the last ratio bounds the rest by a geometric sum.
inline double cut_tail(double last, double before) {
    const double ratio = std::min(std::abs(last) / (std::abs(before) + 1e-300), 0.9);
    return std::abs(last) * ratio / (1 - ratio);
}
inline double cut_tails(const Eigen::ArrayXd& terms) {
    const Eigen::Index last = terms.size() - 1;
    return cut_tail(terms[0], terms[1]) + cut_tail(terms[last], terms[last - 1]);
}
// `relative`: other errors, as a share of the sum of absolute values.
inline Bounded lattice_sum(const Eigen::ArrayXd& terms, double relative, const Probe& probe) {
    const double scale = terms.abs().sum();
    const double cosine = (probe.cosine * terms).sum(), sine = (probe.sine * terms).sum();
    return {terms.sum(), sampling_error(cosine, sine, scale) + cut_tails(terms) + relative * scale};
}

// The spacing, for slope 1, that integration begins with.
inline double first_spacing(const RaceSettings& settings) {
    return race_spacing(settings.tolerance / 20);
}

// Prepares head.lattice and head.expansions for pairs that need so many terms of each law.
void expand(const RaceSettings& settings, const std::vector<int>& terms, struct HeadRace& head);

// Calls integrate(spacing, stretched) with finer lattices until the error is within the tolerance.
template <class Integrate>
auto refine(const RaceSettings& settings, const Integrate& integrate) {
    double spacing = first_spacing(settings);
    for (int attempt = 0;; ++attempt, spacing *= 0.7) {
        auto result = integrate(spacing, attempt < 2);
        if (result.both.error <= settings.tolerance || attempt == 4) return result;
    }
}

struct HeadRace {
    double bias = 0;
    HeadLaw null;
    std::vector<HeadLaw> relevant;
    RaceRange range{};
    TimeLattice lattice{};                  // the one that pairs share unless they need their own
    std::vector<RaceExpansion> expansions;  // on that lattice: null law, then the relevant law's components
};

struct HeadIntegral {
    Bounded both;    // N_ii, or N_ii - 1 in Form::gain
    Bounded misses;  // S_i, or S_i - 1
    // Derivatives of both and of misses; empty unless asked for.
    Bounded both_null_variance, misses_null_variance, both_bias, misses_bias;
    std::vector<HeadLawAdjoint> both_relevant, misses_relevant;
};

struct PairIntegral {
    Bounded both;         // N_ij, or N_ij - 1 in Form::gain
    PairLawAdjoint null;  // its means are not used
    std::vector<PairLawAdjoint> relevant;
    Bounded first_bias, second_bias;
};

// weights: of the relevant law's components.
HeadIntegral head_integral(const RaceSettings& settings, const HeadRace& head, const std::vector<double>& weights);

PairIntegral pair_integral(const RaceSettings& settings, const HeadRace& first, const HeadRace& second,
                           const PairLaw& null, const std::vector<PairLaw>& relevant,
                           const std::vector<double>& weights);

}  // namespace lemmata
