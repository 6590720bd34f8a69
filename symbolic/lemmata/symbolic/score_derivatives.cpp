#include <lemmata/symbolic/jet.hpp>
#include <lemmata/symbolic/score_derivatives.hpp>

#include <algorithm>
#include <numeric>
#include <set>

namespace lemmata::symbolic {
namespace {

// The same point, order of differentiation aside: heads and tokens renamed by first appearance
// after `fixed_heads` and `fixed_tokens` that keep their names.
Directions renamed(const Directions& directions, int fixed_heads, int fixed_tokens) {
    std::map<int, int> heads, tokens;
    for (int i = 1; i <= fixed_heads; ++i) heads[i] = i;
    for (int i = 1; i <= fixed_tokens; ++i) tokens[i] = i;
    const auto rename = [](std::map<int, int>& names, int old) {
        return names.try_emplace(old, int(names.size()) + 1).first->second;
    };
    Directions result = directions;
    for (Direction& d : result) {
        if (d.kind != Direction::Kind::scale) d.head = rename(heads, d.head);
        if (d.kind == Direction::Kind::score) d.token = rename(tokens, d.token);
    }
    return result;
}

// The least of the lists that differ only in order and names.
Directions canonical(const Directions& directions, int fixed_heads, int fixed_tokens) {
    std::vector<std::size_t> order(directions.size());
    std::iota(order.begin(), order.end(), 0);
    Directions least;
    bool first = true;
    do {
        Directions permuted;
        for (const std::size_t i : order) permuted.push_back(directions[i]);
        Directions candidate = renamed(permuted, fixed_heads, fixed_tokens);
        if (first || candidate < least) least = std::move(candidate);
        first = false;
    } while (std::next_permutation(order.begin(), order.end()));
    return least;
}

std::vector<int> key(const Directions& directions, std::vector<int> result = {}) {
    for (const Direction& d : directions) result.insert(result.end(), {int(d.kind), d.head, d.token});
    return result;
}

GiNaC::ex partial(const GiNaC::ex& function, const std::vector<GiNaC::symbol>& variables, const std::vector<int>& which,
                  const GiNaC::exmap& point, const Symbols& symbols) {
    GiNaC::ex result = function;
    for (const int k : which) result = result.diff(variables[std::size_t(k)]);
    return with_exp_bias(result.subs(point), symbols).normal();
}

}  // namespace

GiNaC::ex ScoreDerivatives::weight_partial(const Key& arguments) {
    const auto [entry, is_new] = weight_.try_emplace(arguments);
    const Symbols& s = symbols();
    if (is_new) entry->second = partial(family_.weight, {s.x, s.b}, arguments, {{s.x, 0}}, s);
    return entry->second;
}

GiNaC::ex ScoreDerivatives::gain_partial(const Key& arguments) {
    const auto [entry, is_new] = gain_.try_emplace(arguments);
    if (!is_new) return entry->second;
    const Symbols& s = symbols();
    const GiNaC::ex total = s.L * weight_partial({});
    return entry->second =
               partial(family_.gain, {s.S, s.Sbar, s.b, s.v}, arguments, {{s.S, total}, {s.Sbar, total}}, s);
}

// The neighbourhood of the unspecialized point along given directions: everything as jets. Heads
// 1..heads_ and tokens 1..tokens_ are named; index heads_ + 1 or tokens_ + 1 is any other one.
struct ScoreDerivatives::Point {
    ScoreDerivatives& owner;
    const Directions& directions;
    int n, heads_ = 0, tokens_ = 0;
    std::vector<Jet> gains;

    Point(ScoreDerivatives& o, const Directions& d, int heads, int tokens)
        : owner(o), directions(d), n(int(d.size())), heads_(heads), tokens_(tokens) {
        for (const Direction& direction : directions) {
            heads_ = std::max(heads_, direction.head);
            tokens_ = std::max(tokens_, direction.token);
        }
        const Symbols& s = owner.symbols();
        std::vector<Jet> totals;
        Jet overall(0, n);
        for (int h = 1; h <= heads_ + 1; ++h) {
            Jet total(0, n);
            for (int l = 1; l <= tokens_ + 1; ++l) total += copies(l, tokens_, s.L) * weight(h, l);
            overall += copies(h, heads_, s.H) / s.H * total;
            totals.push_back(std::move(total));
        }
        const auto gain_partial = [&](const Key& which) { return owner.gain_partial(which); };
        for (int h = 1; h <= heads_ + 1; ++h)
            gains.push_back(
                compose(gain_partial, {totals[std::size_t(h - 1)], overall, along(bias(h), s.b), along(scale(), s.v)}));
    }

    static GiNaC::ex copies(int index, int known, const GiNaC::ex& size) { return index <= known ? 1 : size - known; }

    // The variable that `direction` moves, as a jet.
    [[nodiscard]] Jet along(const Direction& direction, const GiNaC::ex& value) const {
        Jet result(value, n);
        for (int i = 0; i < n; ++i)
            if (directions[std::size_t(i)] == direction) result[std::size_t(1) << i] = 1;
        return result;
    }
    [[nodiscard]] Jet weight(int h, int l) const {
        const auto weight_partial = [&](const Key& which) { return owner.weight_partial(which); };
        return compose(weight_partial, {along(score(h, l), 0), along(bias(h), owner.symbols().b)});
    }
    [[nodiscard]] Jet sigma(int h, int l) const { return weight(h, l) * gains[std::size_t(h - 1)]; }
    [[nodiscard]] Jet mean(int l) const {
        const GiNaC::ex& H = owner.symbols().H;
        Jet result(0, n);
        for (int h = 1; h <= heads_ + 1; ++h) result += copies(h, heads_, H) / H * sigma(h, l);
        return result;
    }
};

GiNaC::ex ScoreDerivatives::sigma(int head, int token, const Directions& directions) {
    // sigma(head)_token is put first so that it keeps the names 1, 1.
    Directions all{score(head, token)};
    all.insert(all.end(), directions.begin(), directions.end());
    all = renamed(all, 0, 0);
    const Directions pattern = canonical(Directions(all.begin() + 1, all.end()), 1, 1);
    const auto [entry, is_new] = sigma_.try_emplace(key(pattern));
    if (is_new) entry->second = Point(*this, pattern, 1, 1).sigma(1, 1).top().normal();
    return entry->second;
}

GiNaC::ex ScoreDerivatives::mean(int token, const Directions& directions) {
    Directions all{score(1, token)};
    all.insert(all.end(), directions.begin(), directions.end());
    all = renamed(all, 0, 0);
    const Directions pattern = canonical(Directions(all.begin() + 1, all.end()), 0, 1);
    const auto [entry, is_new] = mean_.try_emplace(key(pattern));
    if (is_new) entry->second = Point(*this, pattern, 0, 1).mean(1).top().normal();
    return entry->second;
}

GiNaC::ex ScoreDerivatives::loss(const Directions& directions) {
    const Directions pattern = canonical(directions, 0, 1);
    const auto [entry, is_new] = loss_.try_emplace(key(pattern));
    if (!is_new) return entry->second;
    const Point point(*this, pattern, 0, 1);
    Jet total(0, point.n);
    for (int l = 1; l <= point.tokens_ + 1; ++l) {
        Jet residual = point.mean(l);
        if (l == 1) residual += Jet(-1, point.n);
        total += Point::copies(l, point.tokens_, symbols().L) * (residual * residual);
    }
    return entry->second = total.top().normal();
}

std::vector<DerivativePattern> derivative_patterns(int order) {
    std::set<Directions> found;
    // All lists of (head, token) with indices introduced in order; most fall together.
    std::vector<Directions> lists{{}};
    for (int i = 0; i < order; ++i) {
        std::vector<Directions> longer;
        for (const Directions& list : lists) {
            int heads = 1, tokens = 1;
            for (const Direction& d : list) {
                heads = std::max(heads, d.head);
                tokens = std::max(tokens, d.token);
            }
            for (int h = 1; h <= heads + 1; ++h)
                for (int l = 1; l <= tokens + 1; ++l) {
                    longer.push_back(list);
                    longer.back().push_back(score(h, l));
                }
        }
        lists = std::move(longer);
    }
    for (const Directions& list : lists) found.insert(canonical(list, 1, 1));
    std::vector<DerivativePattern> result;
    result.reserve(found.size());
    for (const Directions& pattern : found) result.push_back({1, 1, pattern});
    return result;
}

namespace {
std::string primed(char letter, int index) {
    return letter + std::string(std::size_t(index - 1), '\'');
}
}  // namespace

std::string text(const DerivativePattern& pattern) {
    std::string result = "s(" + primed('h', pattern.head) + ", " + primed('l', pattern.token);
    for (std::size_t i = 0; i < pattern.directions.size(); ++i)
        result += (i == 0 ? "; " : ", ") + primed('h', pattern.directions[i].head) + " " +
                  primed('l', pattern.directions[i].token);
    return result + ")";
}

std::string latex(const DerivativePattern& pattern) {
    const auto index = [](const std::string& letter, int i) { return letter + "_{" + std::to_string(i) + "}"; };
    std::string result;
    for (const Direction& d : pattern.directions)
        result += "\\partial_{" + index("h", d.head) + index("\\ell", d.token) + "}";
    return result + "\\sigma(" + index("h", pattern.head) + ")_{" + index("\\ell", pattern.token) + "}";
}

}  // namespace lemmata::symbolic
