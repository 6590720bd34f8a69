#include <lemmata/symbolic/loss_expansion.hpp>

#include <algorithm>

namespace lemmata::symbolic {
namespace {

GiNaC::ex factorial(int n) {
    return GiNaC::factorial(GiNaC::numeric(n));
}

// sum over the tokens l_1, l_2, ... of the pairs (each pair of heads shares its token) of Phi
// differentiated in chi_{h l_i}, chi_{h' l_i} and `fixed`. Token 1 is the relevant one.
GiNaC::ex over_pair_tokens(ScoreDerivatives& derivatives, const std::vector<std::pair<int, int>>& pairs,
                           std::size_t which, int known, Directions& directions) {
    if (which == pairs.size()) return derivatives.loss(directions);
    GiNaC::ex total = 0;
    for (int token = 1; token <= known + 1; ++token) {
        const GiNaC::ex copies = token <= known ? GiNaC::ex(1) : derivatives.symbols().L - known;
        directions.push_back(score(pairs[which].first, token));
        directions.push_back(score(pairs[which].second, token));
        total += copies * over_pair_tokens(derivatives, pairs, which + 1, std::max(known, token), directions);
        directions.resize(directions.size() - 2);
    }
    return total;
}

}  // namespace

std::map<std::string, GiNaC::ex> loss_terms(ScoreDerivatives& derivatives, const Degree& degree) {
    static constexpr const char* moments[] = {"", "s", "M", "K", "J"};
    std::vector<Factor> factors(std::size_t(degree.covariance), Factor{"q", 2});
    if (degree.signal > 0) factors.push_back({moments[degree.signal], degree.signal});
    factors.insert(factors.end(), std::size_t(degree.bias), Factor{"b", 1});
    factors.insert(factors.end(), std::size_t(degree.scale), Factor{"v", 0});
    const GiNaC::ex divisor = GiNaC::pow(2, degree.covariance) * factorial(degree.covariance) *
                              factorial(degree.signal) * factorial(degree.bias) * factorial(degree.scale);
    return head_invariants(factors, [&](const std::vector<int>& heads) -> GiNaC::ex {
        std::size_t slot = 0;
        std::vector<std::pair<int, int>> pairs;
        for (int i = 0; i < degree.covariance; ++i, slot += 2) pairs.emplace_back(heads[slot], heads[slot + 1]);
        Directions directions;
        for (int i = 0; i < degree.signal; ++i) directions.push_back(score(heads[slot++], 1));
        for (int i = 0; i < degree.bias; ++i) directions.push_back(bias(heads[slot++]));
        directions.insert(directions.end(), std::size_t(degree.scale), scale());
        return over_pair_tokens(derivatives, pairs, 0, 1, directions) / divisor;
    });
}

std::map<std::string, GiNaC::ex> feature_interaction(ScoreDerivatives& derivatives) {
    // q = u u' + w w', E s^4 has 6 V W u u w w: of (1/8) q q, (1/4) q M and (1/24) J there remain
    // (1/4) (sum_l uu)(sum_l' ww), (1/4) (W (sum_l uu) ww + V (sum_l ww) uu) and (1/4) V W uu ww.
    const Symbols& s = derivatives.symbols();
    const std::vector<Factor> factors{{"u", 1}, {"u", 1}, {"w", 1}, {"w", 1}};
    return head_invariants(factors, [&](const std::vector<int>& h) -> GiNaC::ex {
        const std::pair uu{h[0], h[1]}, ww{h[2], h[3]};
        const auto part = [&](const std::vector<std::pair<int, int>>& free, const std::vector<int>& relevant) {
            Directions directions;
            for (const int head : relevant) directions.push_back(score(head, 1));
            return over_pair_tokens(derivatives, free, 0, 1, directions);
        };
        return (part({uu, ww}, {}) + s.W * part({uu}, {h[2], h[3]}) + s.V * part({ww}, {h[0], h[1]}) +
                s.V * s.W * part({}, h)) /
               4;
    });
}

std::map<std::string, GiNaC::ex> skewed_interaction(ScoreDerivatives& derivatives) {
    // Of (1/2) q K / 3! and (1/5!) E s^5, the terms u u w w w E theta_fbar^3: (1/12) (sum_l uu) www
    // and (10/120) V uu www.
    const Symbols& s = derivatives.symbols();
    const std::vector<Factor> factors{{"u", 1}, {"u", 1}, {"w", 1}, {"w", 1}, {"w", 1}};
    return head_invariants(factors, [&](const std::vector<int>& h) -> GiNaC::ex {
        Directions learnt{score(h[2], 1), score(h[3], 1), score(h[4], 1)};
        const GiNaC::ex free = over_pair_tokens(derivatives, {{h[0], h[1]}}, 0, 1, learnt);
        learnt.insert(learnt.end(), {score(h[0], 1), score(h[1], 1)});
        return (free + s.V * derivatives.loss(learnt)) / 12;
    });
}

}  // namespace lemmata::symbolic
