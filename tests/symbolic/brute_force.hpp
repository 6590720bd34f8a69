// The other route: explicit activations at fixed L and H, differentiated by GiNaC.
#pragma once

#include <lemmata/symbolic/score_derivatives.hpp>

#include <algorithm>
#include <vector>

namespace brute_force {

using lemmata::symbolic::ActivationFamily;
using lemmata::symbolic::Direction;
using lemmata::symbolic::Directions;

// sigma with every score, bias and the scale a symbol of its own.
struct Explicit {
    ActivationFamily family;
    int heads, tokens;
    std::vector<std::vector<GiNaC::symbol>> x;
    std::vector<GiNaC::symbol> b;

    Explicit(const ActivationFamily& f, int H, int L) : family(f), heads(H), tokens(L), b(std::size_t(H)) {
        for (int h = 0; h < H; ++h) x.emplace_back(std::size_t(L));
    }

    [[nodiscard]] GiNaC::ex weight(int h, int l) const {
        const auto& s = family.symbols;
        return family.weight.subs(GiNaC::lst{s.x == x[std::size_t(h)][std::size_t(l)], s.b == b[std::size_t(h)]});
    }
    // Indices from 0. L and H become numbers.
    [[nodiscard]] GiNaC::ex sigma(int h, int l) const {
        const auto& s = family.symbols;
        GiNaC::ex own = 0, all = 0;
        for (int i = 0; i < heads; ++i)
            for (int k = 0; k < tokens; ++k) {
                all += weight(i, k) / heads;
                if (i == h) own += weight(i, k);
            }
        const GiNaC::ex gain = family.gain.subs(GiNaC::lst{s.S == own, s.Sbar == all, s.b == b[std::size_t(h)]});
        return (weight(h, l) * gain).subs(GiNaC::lst{s.L == tokens, s.H == heads});
    }
    [[nodiscard]] GiNaC::ex mean(int l) const {
        GiNaC::ex sum = 0;
        for (int h = 0; h < heads; ++h) sum += sigma(h, l);
        return sum / heads;
    }
    [[nodiscard]] GiNaC::ex loss() const {
        GiNaC::ex sum = 0;
        for (int l = 0; l < tokens; ++l) sum += GiNaC::pow(mean(l) - (l == 0 ? 1 : 0), 2);
        return sum;
    }
    [[nodiscard]] const GiNaC::symbol& variable(const Direction& d) const {
        switch (d.kind) {
            case Direction::Kind::score:
                return x[std::size_t(d.head - 1)][std::size_t(d.token - 1)];
            case Direction::Kind::bias:
                return b[std::size_t(d.head - 1)];
            default:
                return family.symbols.v;
        }
    }
    // d e / d directions at the unspecialized point. What is not moved is fixed first: it is quicker.
    [[nodiscard]] GiNaC::ex derivative(const GiNaC::ex& e, const Directions& directions) const {
        const auto moved = [&](const GiNaC::symbol& symbol) {
            return std::any_of(directions.begin(), directions.end(),
                               [&](const Direction& d) { return variable(d).is_equal(symbol); });
        };
        GiNaC::exmap fixed, rest;
        for (const auto& row : x)
            for (const GiNaC::symbol& score : row) (moved(score) ? rest : fixed)[score] = 0;
        for (const GiNaC::symbol& bias : b) (moved(bias) ? rest : fixed)[bias] = family.symbols.b;
        GiNaC::ex result = e.subs(fixed);
        for (const Direction& d : directions) result = result.diff(variable(d));
        return lemmata::symbolic::with_exp_bias(result.subs(rest), family.symbols).normal();
    }
};

}  // namespace brute_force
