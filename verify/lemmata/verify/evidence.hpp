// Evidence, and the verdict that follows from it. A verdict is computed here and nowhere else.
//
//   proved        a symbolic argument covers the whole quantified range, and nothing contradicts it
//   supported     numbers agree within their errors, and the errors are small enough to notice 1%
//   refuted       a witness violates the statement by more than its error
//   vacuous       nothing satisfies the hypotheses
//   inconclusive  anything else, contradictory evidence included
#pragma once

#include <lemmata/estimate.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lemmata::verify {

enum class Verdict { proved, supported, refuted, inconclusive, vacuous };
std::string_view name(Verdict verdict);

// Which wording of a claim a piece of evidence speaks about.
enum class Form { printed, corrected };

enum class Outcome { holds, violated, undecided, vacuous };
std::string_view name(Outcome outcome);

struct Evidence {
    using Value = std::variant<double, std::string>;  // a number, or an expression

    Form form = Form::printed;
    std::string method;    // "monte-carlo", "symbolic", …
    std::string quantity;  // what was compared, with the parameters that make it re-runnable
    Value expected;        // by the claim
    Value measured;        // by us
    double error = 0;      // of the measured value, as a bound or four standard errors
    double tolerance = 0;  // largest accepted distance
    Outcome outcome = Outcome::undecided;
    bool proof = false;  // covers the whole range of the statement, not a point of it
    std::optional<std::uint64_t> seed;
};

// `measured` against the claim's `expected`. Holds within the margin of the measurement and
// violated beyond it; undecided if that margin exceeds `resolution`, the distance at which a wrong
// statement must be noticed: a comparison that cannot fail is no evidence.
Evidence compare(Form form, std::string method, std::string quantity, double expected, const Estimate& measured,
                 double resolution, std::optional<std::uint64_t> seed = std::nullopt);

// A claimed bound. Holds or is violated if that is clear beyond the margin of the measurement, else undecided.
Evidence at_most(Form form, std::string method, std::string quantity, double bound, const Estimate& measured,
                 std::optional<std::uint64_t> seed = std::nullopt);
Evidence at_least(Form form, std::string method, std::string quantity, double bound, const Estimate& measured,
                  std::optional<std::uint64_t> seed = std::nullopt);

// For a bound that is our reading of a vague word (small, about, Theta(1)) and not the claim's own: to miss
// it supports nothing, but refutes nothing either.
Evidence our_reading(Evidence e);

// All evidence about one form.
Verdict judge(const std::vector<Evidence>& evidence, Form form);

}  // namespace lemmata::verify
