// Looking for a counterexample to a claim about all cases that satisfy some hypotheses.
//
// Cases are drawn (model_case.hpp), brought under the hypotheses, and scored by their violation over
// its error; the most promising are improved by hill climbing. A counterexample is simplified as long
// as it stays one. Nothing found proves nothing: it counts as support only if enough of the cases
// were decisive, that is if a violation of 1% of its natural scale would have been seen there.
// Hypotheses that no case could be brought under make the claim vacuous.
//
// False alarms: a violation counts beyond its error and beyond `notice` times its scale, so that
// an engine's error estimate may be wrong by orders of magnitude without refuting anything.
// Errors must be bounds: with a search for the largest of many, four standard errors mean little.
// Cost: `draws` + `climbs` evaluations, and a few hundred more to simplify.
#pragma once

#include <lemmata/verify/check.hpp>
#include <lemmata/verify/model_case.hpp>

#include <functional>
#include <optional>
#include <string>

namespace lemmata::verify {

struct Violation {
    double amount = 0;  // how far the case violates the claim; not positive: not at all
    double error = 0;   // bound on the error of the amount
    double scale = 1;   // the size of what the claim compares
};

struct Hunt {
    // A case that satisfies the hypotheses, made from any case; nothing if it cannot be.
    std::function<std::optional<ModelCase>(ModelCase)> conform = [](ModelCase c) {
        return std::optional(std::move(c));
    };
    // May throw Unfinished; the case is then passed over.
    std::function<Violation(const ModelCase&)> violation;
    int draws = 150;
    int climbs = 60;
    double notice = 1e-3;
};

struct HuntResult {
    int satisfied = 0;   // cases that satisfied the hypotheses and could be evaluated
    int decisive = 0;    // of these, with an error below 1% of the scale
    int unfinished = 0;  // could not be evaluated
    std::optional<ModelCase> worst;
    Violation worst_violation;
    std::optional<ModelCase> counterexample;  // simplified
    Violation counterexample_violation;
};

HuntResult hunt(const Hunt& hunt, const Context& context);

// The hunt as evidence: violated with the simplified counterexample in `quantity`, vacuous, or, if at least 20 cases
// and half of all were decisive, holds.
Evidence attack(Form form, const std::string& quantity, const Hunt& hunt, const Context& context);

}  // namespace lemmata::verify
