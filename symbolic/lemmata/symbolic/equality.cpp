#include <lemmata/symbolic/equality.hpp>

namespace lemmata::symbolic {
namespace {

bool is_rational(const GiNaC::ex& e) {
    return GiNaC::is_a<GiNaC::numeric>(e) && GiNaC::ex_to<GiNaC::numeric>(e).is_rational();
}

}  // namespace

Equality equal(const GiNaC::ex& left, const GiNaC::ex& right, const Domain& domain) {
    const GiNaC::ex difference = (left - right).normal();
    if (difference.is_zero() || difference.expand().is_zero()) return {Truth::yes, {}, 0, 0};
    for (const GiNaC::exmap& point : sample_points(domain, GiNaC::lst{left, right})) {
        try {
            const GiNaC::ex a = left.subs(point, GiNaC::subs_options::no_pattern);
            const GiNaC::ex b = right.subs(point, GiNaC::subs_options::no_pattern);
            if (is_rational(a) && is_rational(b) && !a.is_equal(b))
                return {Truth::no, point, GiNaC::ex_to<GiNaC::numeric>(a), GiNaC::ex_to<GiNaC::numeric>(b)};
        } catch (const GiNaC::pole_error&) {
            continue;  // not a point of the domain
        }
    }
    return {};
}

}  // namespace lemmata::symbolic
