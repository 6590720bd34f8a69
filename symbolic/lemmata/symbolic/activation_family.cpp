#include <lemmata/error.hpp>
#include <lemmata/symbolic/activation_family.hpp>
#include <lemmata/symbolic/formula.hpp>

#include <algorithm>

namespace lemmata::symbolic {
namespace {

struct ExpBias : GiNaC::map_function {
    explicit ExpBias(const Symbols& s) : symbols(s) {}
    GiNaC::ex operator()(const GiNaC::ex& e) override {
        GiNaC::ex mapped = e.map(*this);
        if (!GiNaC::is_the_function<GiNaC::exp_SERIAL>(mapped)) return mapped;
        const GiNaC::ex argument = mapped.op(0).expand();
        const GiNaC::ex n = argument.coeff(symbols.b, 1);
        if (n.is_zero() || !n.info(GiNaC::info_flags::integer) || argument.degree(symbols.b) != 1) return mapped;
        return GiNaC::pow(symbols.B, n) * GiNaC::exp(argument - n * symbols.b);
    }
    const Symbols& symbols;
};

using Names = std::vector<std::pair<std::string, GiNaC::ex>>;

GiNaC::ex read(const ActivationDefinition& definition, const std::string& part, const std::string& expression,
               const Names& arguments, const ActivationFamily& family) {
    FormulaContext context;
    context.field = "activation." + part;
    for (const auto& [name, symbol] : arguments) context.symbols[name] = symbol;
    context.symbols["L"] = family.symbols.L;
    context.symbols["H"] = family.symbols.H;
    for (std::size_t i = 0; i < family.parameters.size(); ++i)
        context.symbols[definition.parameters[i]] = family.parameters[i];
    return evaluate(parse_formula(expression, context.field), context);
}

bool is_name(const std::string& word) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !word.empty() && letter(word.front()) && std::all_of(word.begin(), word.end(), [&](char c) {
        return letter(c) || c == '_' || (c >= '0' && c <= '9');
    });
}

}  // namespace

ActivationFamily define_activation(const ActivationDefinition& definition, const Symbols& symbols) {
    static constexpr std::string_view reserved[] = {"L", "H", "B",    "v", "V",   "W",    "x",
                                                    "b", "S", "Sbar", "s", "sum", "delta"};
    ActivationFamily family{definition.name, symbols, {}, 0, 0};
    for (const std::string& parameter : definition.parameters) {
        const bool taken = std::count(definition.parameters.begin(), definition.parameters.end(), parameter) > 1 ||
                           std::find(std::begin(reserved), std::end(reserved), parameter) != std::end(reserved);
        if (!is_name(parameter) || taken)
            throw InvalidInput("activation.parameters", "\"" + parameter + "\"",
                               "distinct names of letters, digits and _ other than the model's own letters");
        family.parameters.emplace_back(parameter);
    }
    const Symbols& s = symbols;
    family.weight = read(definition, "weight", definition.weight, {{"x", s.x}, {"b", s.b}}, family);
    const GiNaC::ex denominator =
        read(definition, "denominator", definition.denominator, {{"S", s.S}, {"Sbar", s.Sbar}, {"b", s.b}}, family);
    const GiNaC::ex scale = read(definition, "scale", definition.scale, {{"v", s.v}}, family);
    if (denominator.normal().is_zero())
        throw InvalidInput("activation.denominator", "\"" + definition.denominator + "\"", "not zero everywhere");
    family.gain = scale / denominator;
    try {
        const GiNaC::ex weight = family.weight.subs(s.x == 0);
        const GiNaC::ex total = s.L * weight;
        const GiNaC::ex there = denominator.subs(GiNaC::lst{s.S == total, s.Sbar == total});
        if (with_exp_bias(there, s).normal().is_zero())
            throw InvalidInput("activation.denominator", "\"" + definition.denominator + "\"",
                               "not zero where all scores are 0");
    } catch (const GiNaC::pole_error&) {
        throw InvalidInput("activation.weight", "\"" + definition.weight + "\"", "an expression defined at x = 0");
    }
    return family;
}

const std::vector<ActivationDefinition>& builtin_activations() {
    static const std::vector<ActivationDefinition> definitions{
        {"softmax", "exp(x)", "S", "1", {}},
        {"softmax-1", "exp(x)", "exp(b) + S", "v", {}},
        {"bayes-softmax", "exp(x + b)", "Sbar", "1", {}},
    };
    return definitions;
}

ActivationFamily builtin_activation(std::string_view name, const Symbols& symbols) {
    for (const ActivationDefinition& definition : builtin_activations())
        if (definition.name == name) return define_activation(definition, symbols);
    throw InvalidInput("activation", "\"" + std::string(name) + "\"", "softmax, softmax-1 or bayes-softmax");
}

GiNaC::ex with_exp_bias(const GiNaC::ex& e, const Symbols& symbols) {
    ExpBias rewrite(symbols);
    return rewrite(e);
}

}  // namespace lemmata::symbolic
