#include <lemmata/error.hpp>
#include <lemmata/symbolic/printed.hpp>

#include <algorithm>

namespace lemmata::symbolic {
namespace {

// The sign that is claimed, or one that implies it.
bool implies(Sign proved, Sign claimed) {
    if (proved == claimed) return true;
    if (claimed == Sign::nonnegative) return proved == Sign::positive || proved == Sign::zero;
    if (claimed == Sign::nonpositive) return proved == Sign::negative || proved == Sign::zero;
    return false;
}

bool violates(const GiNaC::numeric& value, Sign claimed) {
    switch (claimed) {
        case Sign::positive:
            return !value.is_positive();
        case Sign::negative:
            return !value.is_negative();
        case Sign::nonnegative:
            return value.is_negative();
        case Sign::nonpositive:
            return value.is_positive();
        case Sign::zero:
            return !value.is_zero();
        default:
            return false;
    }
}

// Two heads are named (head 2 in a derivative, or c_4): H >= 2.
int least_heads(const Formula& f) {
    int heads = f.kind == FormulaKind::symbol && f.text == "c4" ? 2 : 1;
    if (f.kind == FormulaKind::sigma)
        for (std::size_t i = 0; i < f.indices.size(); i += 2)
            if (f.indices[i] == "2") heads = 2;
    for (const Formula& argument : f.arguments) heads = std::max(heads, least_heads(argument));
    return heads;
}

}  // namespace

std::string_view name(Verdict verdict) {
    switch (verdict) {
        case Verdict::proved:
            return "proved";
        case Verdict::refuted:
            return "refuted";
        case Verdict::ill_formed:
            return "ill-formed";
        case Verdict::unknown:
            return "unknown";
    }
    return "unknown";
}

ActivationFamily printed_activation(const std::string& name, const Symbols& symbols) {
    if (name != "bayes-softmax-with-sink") return builtin_activation(name, symbols);
    return define_activation({name, "exp(x + b)", "1 + Sbar", "v", {}}, symbols);
}

Derivation::Derivation(const ActivationFamily& family) : derivatives_(family), line_(scale_on_line(derivatives_)) {
    const Symbols& s = derivatives_.symbols();
    const std::vector<Constant> list = constants(derivatives_, {1, 2, 3, 4}, false);
    const auto get = [&](const std::string& key) { return find_constant(list, key).value; };
    derived_ = {{"L", s.L}, {"H", s.H}, {"B", s.B}, {"v", s.v}, {"V", s.V}, {"W", s.W}};
    for (const GiNaC::symbol& parameter : family.parameters) derived_[parameter.get_name()] = parameter;
    derived_["c"] = get("c^(1)");
    derived_["gb"] = get("[b_a]");
    derived_["gv"] = get("[v]");
    for (const std::string i : {"1", "2", "3", "4", "5", "6"}) {
        derived_["c" + i] = get("c_" + i + "^(2)");
        derived_["ct" + i] = get("ct_" + i + "^(4)");
    }
    for (const std::string i : {"1", "2", "3"}) derived_["C" + i] = get("c_" + i + "^(4)");
    for (const auto& terms : {loss_terms(derivatives_, {1, 0}), loss_terms(derivatives_, {0, 2})})
        derived_.insert(terms.begin(), terms.end());
    derived_["K"] = get("[K_aaa]");
    derived_["bbb"] = get("[b_a b_a b_b]");
    derived_["Mb"] = get("[M_aa b_a]");
    derived_["RR"] = get("[q_ab q_ab]");
    derived_["RtRt"] = get("[q_aa q_bb]");
    derived_["skew"] = skewed_interaction(derivatives_).at("u_a u_a w_a w_a w_a");
    // Along b~ all H biases move: sum_a b_a = H, sum_a b_a^2 = H.
    derived_["Ebb"] = 2 * (s.H * s.H * get("c_5^(2)") + s.H * get("[b_a b_a]"));
    derived_["Ebv"] = s.H * get("[b_a v]");
    derived_["Evv"] = 2 * get("[v v]");
    if (line_) derived_["vline"] = *line_;
}

GiNaC::ex Derivation::value(const Formula& formula, Stage stage, const std::string& field) {
    const Symbols& s = derivatives_.symbols();
    FormulaContext context{field, derived_, s.L, s.H, [&](const std::vector<int>& i) {
                               Directions directions;
                               for (std::size_t k = 2; k + 1 < i.size(); k += 2)
                                   directions.push_back(score(i[k], i[k + 1]));
                               return derivatives_.sigma(i[0], i[1], directions);
                           }};
    GiNaC::ex result = evaluate(formula, context);
    if (stage == Stage::line && line_) result = result.subs(s.v == *line_);
    if (stage == Stage::start) result = result.subs(GiNaC::lst{s.B == 1, s.v == 1});
    return result.normal();
}

Comparison Derivation::compare(const PrintedFormula& f) {
    Comparison result;
    const Formula printed = parse_formula(f.printed, f.id), derived = parse_formula(f.derived, f.id);
    const Domain domain = domain_of(derivatives_.family(), 2, std::max(least_heads(printed), least_heads(derived)));
    result.derived = value(derived, f.stage, f.id);
    const auto verdict_of = [&](const Equality& e) {
        return e.truth == Truth::yes ? Verdict::proved : e.truth == Truth::no ? Verdict::refuted : Verdict::unknown;
    };
    try {
        result.printed = value(printed, f.stage, f.id);
        const Equality equality = equal(result.printed, result.derived, domain);
        result.verdict = verdict_of(equality);
        result.witness = equality.witness;
        result.printed_there = equality.left;
        result.derived_there = equality.right;
        if (!result.derived.is_zero()) result.ratio = (result.printed / result.derived).normal();
    } catch (const InvalidInput& problem) {
        result.verdict = Verdict::ill_formed;
        result.problem = problem.what();
    }
    if (!f.corrected.empty())
        result.corrected =
            verdict_of(equal(value(parse_formula(f.corrected, f.id), f.stage, f.id), result.derived, domain));
    return result;
}

SignVerdict Derivation::check(const SignClaim& claim) {
    const Formula formula = parse_formula(claim.formula, claim.id);
    const GiNaC::ex e = value(formula, claim.stage, claim.id);
    const Domain domain = domain_of(derivatives_.family(), claim.tokens, least_heads(formula));
    SignVerdict result;
    result.certificate = prove_sign(e, domain);
    if (implies(result.certificate.sign, claim.sign))
        result.verdict = Verdict::proved;
    else
        for (const GiNaC::exmap& point : sample_points(domain, e)) {
            const GiNaC::ex there = e.subs(point, GiNaC::subs_options::no_pattern);
            if (!GiNaC::is_a<GiNaC::numeric>(there) || !violates(GiNaC::ex_to<GiNaC::numeric>(there), claim.sign))
                continue;
            result.verdict = Verdict::refuted;
            result.witness = point;
            break;
        }
    if (claim.corrected > 0)
        result.corrected = prove_sign(e, domain_of(derivatives_.family(), claim.corrected, least_heads(formula)));
    return result;
}

Derivation& Derivations::of(const std::string& activation) {
    std::unique_ptr<Derivation>& slot = made_[activation];
    if (!slot) slot = std::make_unique<Derivation>(printed_activation(activation));
    return *slot;
}

}  // namespace lemmata::symbolic
