// The kernel K of race_integrals.hpp at one point, with its derivatives: shared by the one-head and
// the pair integral. Straight-line code for vectorised loops.
#pragma once

#include <lemmata/vector_math.hpp>

#include <algorithm>
#include <cstdint>

namespace lemmata {

// Powers of phi_0 = 1 - lost. Those of negative degree (L = 2, 3) have a factor 0 in front and are 0 here.
class TokenPowers {
public:
    explicit TokenPowers(std::int64_t tokens)
        : one(static_cast<double>(tokens - 1)),
          two(static_cast<double>(tokens - 2)),
          three(static_cast<double>(tokens - 3)),
          exponent_(static_cast<double>(std::max<std::int64_t>(tokens - 4, 0))),
          has4_(tokens >= 4 ? 1 : 0),
          is3_(tokens == 3 ? 1 : 0),
          is2_(tokens == 2 ? 1 : 0) {}

    double one, two, three;  // L - 1, L - 2, L - 3

    struct Values {
        double p1, p2, p3, p4;  // phi^{L-1} .. phi^{L-4}
    };
    [[nodiscard]] [[gnu::always_inline]] Values operator()(double lost) const {
        lost = std::min(std::max(lost, 0.0), 1 - 0x1p-53);
        const double phi = 1 - lost;
        const SplitExp e = split_exp(std::max(exponent_ * vector_log1p(-lost), -708.0));
        const double p4 = has4_ * (e.scale + e.scale * e.rest);
        const double p3 = is3_ + phi * p4;
        const double p2 = is2_ + phi * p3;
        return {phi * p2, p2, p3, p4};
    }

private:
    double exponent_, has4_, is3_, is2_;
};

// The two parts of K / G, N (both heads miss) and B (both pick one null token), with their derivatives
// in phi_0, p1, p2, d12 phi_0, e1 and e2. B depends on phi_0 and d12 phi_0 alone.
struct KernelPoint {
    double n, n_phi, n_p1, n_p2, n_d12, n_e1, n_e2;
    double b, b_phi, b_d12;
};
[[gnu::always_inline]] inline KernelPoint kernel(const TokenPowers& tokens, const TokenPowers::Values& power, double p1,
                                                 double p2, double d12, double e1, double e2) {
    const double first = tokens.one * power.p2, second = tokens.one * tokens.two * power.p3;
    const double third = tokens.one * tokens.two * tokens.three * power.p4;
    const double cross = d12 + p1 * e2 + p2 * e1;
    KernelPoint k{};
    k.n = first * cross + second * (p1 * p2) + power.p1 * (e1 * e2);
    k.n_phi = second * cross + third * (p1 * p2) + first * (e1 * e2);
    k.n_p1 = second * p2 + first * e2;
    k.n_p2 = second * p1 + first * e1;
    k.n_d12 = first;
    k.n_e1 = first * p2 + power.p1 * e2;
    k.n_e2 = first * p1 + power.p1 * e1;
    k.b = first * d12;
    k.b_phi = second * d12;
    k.b_d12 = first;
    return k;
}

}  // namespace lemmata
