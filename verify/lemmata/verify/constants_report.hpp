// The derived constants for people and programs: what `lemmata constants` prints, and docs/constants.md.
#pragma once

#include <lemmata/symbolic/constants.hpp>
#include <lemmata/symbolic/sign.hpp>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lemmata::verify {

// Values for some of the symbols; the rest stay symbolic.
using Substitution = GiNaC::exmap;

struct ConstantRow {
    std::string key, latex_key, meaning;
    std::string closed_form, latex;
    std::string sign;             // "= 0 for L = 2, > 0 for L >= 3"
    std::string exact;            // after the substitution, if there is one
    std::optional<double> value;  // if that is a number
    bool zero = false;
    std::string certificate;  // the proof of the sign
};

struct ConstantsTable {
    std::string activation;
    std::string stage;  // "on the line v = (L + B)/L", or ""
    std::vector<ConstantRow> rows;
};

// on_line: at the scale where L mean = 1, for activations with a scale; else the scale stays as it is.
ConstantsTable constants_table(symbolic::ScoreDerivatives& derivatives, const std::vector<int>& orders, bool on_line,
                               const Substitution& substitution = {});

nlohmann::ordered_json to_json(const ConstantsTable& table);

// "> 0 for L >= 2", from sign_by_tokens over L >= 2, H >= 1 and everything else > 0.
std::string sign_text(const GiNaC::ex& e, const symbolic::ActivationFamily& family, std::string* certificate = nullptr);

// docs/constants.md: all constants of the paper's activations, and the paper's formulas and signs
// against them. Deterministic.
std::string constants_document();

}  // namespace lemmata::verify
