#include <lemmata/symbolic/domain.hpp>
#include <lemmata/symbolic/factored.hpp>
#include <lemmata/symbolic/printer.hpp>

#include <algorithm>

namespace lemmata::symbolic {

Domain domain_of(const ActivationFamily& family, int tokens, int heads) {
    const Symbols& s = family.symbols;
    Domain domain{{s.L, tokens, true}, {s.H, heads, true}};
    for (const GiNaC::symbol& positive : {s.B, s.v, s.V, s.W}) domain.push_back({positive, 0, false, true});
    for (const GiNaC::symbol& parameter : family.parameters) domain.push_back({parameter, 0, false, true});
    return domain;
}

std::optional<Range> range_of(const Domain& domain, const GiNaC::ex& symbol) {
    for (const Range& range : domain)
        if (range.symbol.is_equal(symbol)) return range;
    return std::nullopt;
}

Domain with_range(Domain domain, const Range& range) {
    for (Range& known : domain)
        if (known.symbol.is_equal(range.symbol)) {
            known = range;
            return domain;
        }
    domain.push_back(range);
    return domain;
}

std::string print(const Domain& domain, const GiNaC::ex& e) {
    std::string result;
    for (const GiNaC::ex& symbol : symbols_of(e)) {
        const auto range = range_of(domain, symbol);
        if (!range) continue;
        const char* relation = range->point ? " = " : range->open ? " > " : " >= ";
        result += (result.empty() ? "" : ", ") + name_of(symbol) + relation + print(range->lower);
    }
    return result;
}

bool contains(const Domain& domain, const GiNaC::exmap& point) {
    return std::all_of(point.begin(), point.end(), [&](const auto& entry) {
        const auto range = range_of(domain, entry.first);
        if (!range) return true;
        const auto value = GiNaC::ex_to<GiNaC::numeric>(entry.second);
        if (range->integer && !value.is_integer()) return false;
        if (range->point) return value.is_equal(range->lower);
        return range->open ? value > range->lower : value >= range->lower;
    });
}

std::vector<GiNaC::exmap> sample_points(const Domain& domain, const GiNaC::ex& e, std::size_t most) {
    const std::vector<GiNaC::ex> symbols = symbols_of(e);
    const auto value = [&](const GiNaC::ex& symbol, int step) -> GiNaC::ex {
        const auto range = range_of(domain, symbol);
        if (!range) return step;
        if (range->point) return range->lower;
        return range->lower + step + (range->open ? 1 : 0);
    };
    // Shells of growing total: every point with small coordinates comes before any with large ones.
    std::vector<GiNaC::exmap> points;
    std::vector<int> steps(symbols.size(), 0);
    const auto emit = [&] {
        GiNaC::exmap point;
        for (std::size_t i = 0; i < symbols.size(); ++i) point[symbols[i]] = value(symbols[i], steps[i]);
        points.push_back(std::move(point));
    };
    const auto shell = [&](const auto& self, std::size_t which, int left) -> void {
        if (points.size() >= most) return;
        if (which + 1 >= steps.size()) {
            if (!steps.empty()) steps.back() = left;
            emit();
            return;
        }
        for (int k = left; k >= 0; --k) {
            steps[which] = k;
            self(self, which + 1, left - k);
        }
    };
    const int last_shell = symbols.empty() ? 0 : 24;
    for (int total = 0; total <= last_shell && points.size() < most; ++total) shell(shell, 0, total);
    // Small and large values of the continuous variables, where signs like to change.
    for (const int tenth : {1, 5, 20, 1000, 100000}) {
        GiNaC::exmap point;
        for (const GiNaC::ex& symbol : symbols) {
            const auto range = range_of(domain, symbol);
            const bool continuous = range && !range->integer && !range->point;
            point[symbol] = continuous ? GiNaC::ex(range->lower + GiNaC::numeric(tenth, 10)) : value(symbol, tenth % 4);
        }
        points.push_back(std::move(point));
    }
    return points;
}

}  // namespace lemmata::symbolic
