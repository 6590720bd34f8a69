#include <lemmata/error.hpp>
#include <lemmata/symbolic/pointwise.hpp>

namespace lemmata::symbolic {

std::vector<PointwiseSign> pointwise_gradient_signs(const ActivationFamily& family) {
    const Symbols& s = family.symbols;
    const bool shared = !family.gain.has(s.S);
    if (!(family.weight.diff(s.x) - family.weight).normal().is_zero() || (!shared && family.gain.has(s.Sbar)))
        throw InvalidInput("activation", family.name, "exponential weights and a denominator of S or of Sbar alone");
    const GiNaC::symbol a("a"), c("c"), r("r"), A("A"), C("C"), R("R");
    const Domain domain{{a, 0, false, true}, {c, 0, false, true}, {r}, {A}, {C}, {R}, {s.H, 1, true}};
    const GiNaC::ex own = a + c + r, all = (own + A + C + R) / s.H;
    const auto here = [&](const GiNaC::ex& e) {
        return e.subs(GiNaC::lst{s.S == own, s.Sbar == all, s.b == 0, s.v == 1}).normal();
    };
    const GiNaC::ex gain = here(family.gain);
    // How the gain of this head, and of the others, answers to a change of a.
    const GiNaC::ex others = here(family.gain.diff(s.Sbar)) / s.H;
    const GiNaC::ex this_one = here(family.gain.diff(s.S)) + others;
    const auto derivative = [&](const GiNaC::ex& mine, const GiNaC::ex& theirs) {
        return a * (mine * this_one + theirs * others);
    };
    const GiNaC::ex mean_eps = shared ? (a + A) * gain / s.H : a * gain;
    const GiNaC::ex mean_l = shared ? (c + C) * gain / s.H : c * gain;
    return {
        {"(1/H) sum_h' sigma(h')_eps - 1 < 0", Sign::negative, prove_sign((mean_eps - 1).normal(), domain)},
        {"sum_h' d_{h eps} sigma(h')_eps > 0", Sign::positive,
         prove_sign((a * gain + derivative(a, A)).normal(), domain)},
        {"(1/H) sum_h' sigma(h')_l > 0", Sign::positive, prove_sign(mean_l.normal(), domain)},
        {"sum_h' d_{h eps} sigma(h')_l < 0", Sign::negative, prove_sign(derivative(c, C).normal(), domain)},
    };
}

}  // namespace lemmata::symbolic
