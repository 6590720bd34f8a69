// What the paper prints, as data, against what is derived [2603.03993v1, App. A.2].
//
// A printed formula is the right-hand side of an equation in the language of formula.hpp, with
// sums and derivatives where the paper has them, and the quantity it is said to equal, a formula in
// the derived constants:
//   c             c^(1)                          gb, gv        dE/db_h, dE/dv
//   c1 .. c6      c_1^(2) .. c_6^(2)             Ebb, Ebv, Evv second derivatives along b~ (all b_h) and v
//   C1 .. C3      c_1^(4) .. c_3^(4)             vline         the scale with L mean = 1
//   ct1 .. ct6    ct_1^(4) .. ct_6^(4)
//   q_ab, q_aa, M_ab, M_aa  the terms of second order themselves
//   K, bbb, Mb    the coefficients [K_aaa], [b_a b_a b_b], [M_aa b_a] of third order
//   RR, RtRt      [q_ab q_ab], [q_aa q_bb]: of tr R^2 and (tr R)^2 at m = 0
//   skew          [u_a u_a w_a w_a w_a] of skewed_interaction()
// A sign claim is such a formula, a relation and the range it is claimed on.
#pragma once

#include <lemmata/symbolic/constants.hpp>
#include <lemmata/symbolic/equality.hpp>
#include <lemmata/symbolic/formula.hpp>
#include <lemmata/symbolic/sign.hpp>

#include <memory>
#include <string>
#include <vector>

namespace lemmata::symbolic {

// At which bias and scale (scores are 0, biases equal): any; on the line L mean = 1, where softmax-1
// is after the unspecialized phase; or at the start, b = 0 and v = 1.
enum class Stage { any, line, start };

struct PrintedFormula {
    std::string id;          // "lemma-A.5/c3/softmax-1"
    std::string equation;    // "(53)", "table after (55)"
    std::string activation;  // "softmax", ..., or "bayes-softmax-with-sink" for a general sigma
    Stage stage = Stage::any;
    std::string quantity;      // in words
    std::string printed;       // formula
    std::string derived;       // formula in the derived constants
    std::string corrected;     // formula; empty where the printed one is right
    std::string note;          // what is wrong, in words
    std::string finding = {};  // what kind of slip it is: "wrong-factor", "wrong-index", "wrong-order", …
};

struct SignClaim {
    std::string id;
    std::string equation;
    std::string activation;
    Stage stage = Stage::any;
    std::string quantity;
    std::string formula;
    Sign sign = Sign::positive;
    int tokens = 3;                      // claimed for L >= tokens
    int corrected = 0;                   // true for L >= corrected, if the claim is not
    std::string corrected_formula = {};  // or this one has the sign instead
    std::string note = {};               // why, in words
    std::string finding = {};            // as in PrintedFormula
};

const std::vector<PrintedFormula>& printed_formulas();
const std::vector<SignClaim>& sign_claims();

enum class Verdict { proved, refuted, ill_formed, unknown };
std::string_view name(Verdict verdict);

struct Comparison {
    Verdict verdict = Verdict::unknown;
    GiNaC::ex printed, derived;
    GiNaC::exmap witness;  // refuted: simplest point at which they differ
    GiNaC::numeric printed_there, derived_there;
    GiNaC::ex ratio;                       // printed / derived, if derived is not 0
    Verdict corrected = Verdict::unknown;  // of the corrected formula, if there is one
    std::string problem;                   // ill_formed: why
};

struct SignVerdict {
    Verdict verdict = Verdict::unknown;
    SignCertificate certificate;  // over the claimed range
    GiNaC::exmap witness;         // refuted: a point of it with another sign
    SignCertificate corrected;    // over the corrected range, if there is one
};

// Derives what formulas may mention, once per activation, and compares.
class Derivation {
public:
    explicit Derivation(const ActivationFamily& family);

    [[nodiscard]] ScoreDerivatives& derivatives() { return derivatives_; }
    // The formula's value at a stage.
    GiNaC::ex value(const Formula& formula, Stage stage, const std::string& field);
    Comparison compare(const PrintedFormula& formula);
    SignVerdict check(const SignClaim& claim);

private:
    ScoreDerivatives derivatives_;
    std::map<std::string, GiNaC::ex> derived_;
    std::optional<GiNaC::ex> line_;
};

// One derivation for each activation, made when first asked for.
class Derivations {
public:
    Derivation& of(const std::string& activation);

private:
    std::map<std::string, std::unique_ptr<Derivation>> made_;
};

// A family for the activation names that printed formulas and sign claims use.
ActivationFamily printed_activation(const std::string& name, const Symbols& symbols = {});

}  // namespace lemmata::symbolic
