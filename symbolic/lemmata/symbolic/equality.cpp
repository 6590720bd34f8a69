#include <lemmata/symbolic/equality.hpp>

#include <algorithm>
#include <vector>

namespace lemmata::symbolic {
namespace {

void collect_symbols(const GiNaC::ex& e, std::vector<GiNaC::ex>& found) {
    if (GiNaC::is_a<GiNaC::symbol>(e)) {
        const bool known = std::any_of(found.begin(), found.end(), [&](const auto& s) { return s.is_equal(e); });
        if (!known) found.push_back(e);
        return;
    }
    for (std::size_t i = 0; i < e.nops(); ++i) collect_symbols(e.op(i), found);
}

}  // namespace

Equality equal(const GiNaC::ex& left, const GiNaC::ex& right) {
    const GiNaC::ex difference = (left - right).normal();
    if (difference.is_zero() || difference.expand().is_zero()) return {Truth::yes, {}};
    std::vector<GiNaC::ex> symbols;
    collect_symbols(difference, symbols);
    // GiNaC's own order of symbols changes from run to run; names do not.
    const auto by_name = [](const auto& a, const auto& b) {
        return GiNaC::ex_to<GiNaC::symbol>(a).get_name() < GiNaC::ex_to<GiNaC::symbol>(b).get_name();
    };
    std::sort(symbols.begin(), symbols.end(), by_name);
    for (int attempt = 0; attempt < 16; ++attempt) {
        GiNaC::exmap point;
        // Distinct primes make accidental cancellations unlikely; small ones make a readable witness.
        static constexpr int primes[] = {3, 5, 7, 2, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
        for (std::size_t i = 0; i < symbols.size(); ++i) point[symbols[i]] = primes[(i + std::size_t(attempt)) % 16];
        try {
            const GiNaC::ex value = difference.subs(point);
            if (GiNaC::is_a<GiNaC::numeric>(value) && GiNaC::ex_to<GiNaC::numeric>(value).is_rational() &&
                !value.is_zero())
                return {Truth::no, point};
        } catch (const GiNaC::pole_error&) {
            continue;  // not a point of the domain
        }
    }
    return {Truth::unknown, {}};
}

}  // namespace lemmata::symbolic
