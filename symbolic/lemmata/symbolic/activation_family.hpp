// Activations as expressions. One family covers the three of [2603.03993v1, sec. II.2, eq. (4)]
// and whatever else a user writes down:
//
//   sigma_hl = scale * weight(x_hl, b_h) / denominator(S_h, Sbar, b_h),
//   S_h = sum_l weight(x_hl, b_h),   Sbar = (1/H) sum_h S_h.
//
//                  weight      denominator   scale
//   softmax        exp(x)      S             1
//   softmax-1      exp(x)      exp(b) + S    v
//   Bayes-softmax  exp(x + b)  Sbar          1
//
// Expressions are written in the language of formula.hpp without sums. weight may mention x, b;
// denominator S, Sbar, b; scale v; each of them L, H and the declared parameters.
#pragma once

#include <lemmata/symbolic/symbols.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace lemmata::symbolic {

struct ActivationDefinition {
    std::string name;
    std::string weight;
    std::string denominator = "1";
    std::string scale = "1";
    std::vector<std::string> parameters = {};  // further positive symbols
};

struct ActivationFamily {
    std::string name;
    Symbols symbols;
    std::vector<GiNaC::symbol> parameters;
    GiNaC::ex weight;  // of x, b
    GiNaC::ex gain;    // scale / denominator, of S, Sbar, b, v

    [[nodiscard]] bool uses_bias() const { return weight.has(symbols.b) || gain.has(symbols.b); }
    [[nodiscard]] bool uses_scale() const { return gain.has(symbols.v); }
};

// Throws InvalidInput with the position of the fault, also when sigma is not defined at the
// unspecialized point (all scores 0, all biases equal).
ActivationFamily define_activation(const ActivationDefinition& definition, const Symbols& symbols = {});

// "softmax", "softmax-1", "bayes-softmax": the paper's, as definitions a user could have written.
const std::vector<ActivationDefinition>& builtin_activations();
ActivationFamily builtin_activation(std::string_view name, const Symbols& symbols = {});  // throws InvalidInput

// e^{n b + rest} as B^n e^{rest} for integer n, everywhere in e.
GiNaC::ex with_exp_bias(const GiNaC::ex& e, const Symbols& symbols);

}  // namespace lemmata::symbolic
