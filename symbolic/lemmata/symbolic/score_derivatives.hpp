// Derivatives of sigma and of the loss's integrand at the unspecialized point, for symbolic L, H.
//
// At the unspecialized point all scores are 0 and all biases equal, so a mixed derivative
//     d^n sigma(h)_l / d chi_{h1 l1} ... d chi_{hn ln}
// depends only on which of the head indices coincide and which of the token indices coincide.
// The few tokens and heads that are named are taken one by one; the L - k and H - k others are
// equal, and counted. The integrand is that of [2603.03993v1, eq. (10)],
//     Phi(chi) = sum_l (delta_l1 - mean_l)^2,   mean_l = (1/H) sum_h sigma(h)_l,
// with the relevant token at 1. Directions may also be a head's bias or the scale v.
//
// All results are exact, and rational in L, H, B = e^b, v and the parameters when the activation's
// partial derivatives at 0 are. Formulas with k named tokens mean L >= k, and likewise for heads;
// sums over indices carry factors such as (L - 1)(L - 2) that vanish where a pattern does not exist.
#pragma once

#include <lemmata/symbolic/activation_family.hpp>

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace lemmata::symbolic {

// A variable to differentiate in. Heads and tokens are counted from 1.
struct Direction {
    enum class Kind { score, bias, scale };
    Kind kind = Kind::score;
    int head = 0;   // score, bias
    int token = 0;  // score
    bool operator==(const Direction&) const = default;
    bool operator<(const Direction& other) const {
        return std::tie(kind, head, token) < std::tie(other.kind, other.head, other.token);
    }
};
inline Direction score(int head, int token) {
    return {Direction::Kind::score, head, token};
}
inline Direction bias(int head) {
    return {Direction::Kind::bias, head, 0};
}
inline Direction scale() {
    return {Direction::Kind::scale, 0, 0};
}
using Directions = std::vector<Direction>;

class ScoreDerivatives {
public:
    explicit ScoreDerivatives(ActivationFamily family) : family_(std::move(family)) {}

    [[nodiscard]] const ActivationFamily& family() const { return family_; }
    [[nodiscard]] const Symbols& symbols() const { return family_.symbols; }

    // sigma(head)_token and mean_token, differentiated. Normal forms.
    GiNaC::ex sigma(int head, int token, const Directions& directions);
    GiNaC::ex mean(int token, const Directions& directions);
    // Phi, differentiated; token 1 is the relevant one. Normal form.
    GiNaC::ex loss(const Directions& directions);

private:
    struct Point;
    using Key = std::vector<int>;

    ActivationFamily family_;
    // Results do not change: the maps only remember them. Keys are patterns, see canonical_key.
    std::map<Key, GiNaC::ex> weight_, gain_, sigma_, mean_, loss_;

    GiNaC::ex weight_partial(const Key& arguments);
    GiNaC::ex gain_partial(const Key& arguments);
};

// Every pattern of sigma's derivatives of one order, each with a name in index notation:
// order 2, {h, l, h, l, h', l}: d2 sigma(h)_l / d chi_{h l} d chi_{h' l}.
struct DerivativePattern {
    int head = 1, token = 1;
    Directions directions;
};
std::vector<DerivativePattern> derivative_patterns(int order);
std::string text(const DerivativePattern& pattern);
std::string latex(const DerivativePattern& pattern);

}  // namespace lemmata::symbolic
