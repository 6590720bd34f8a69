// What a caption or the text says about a figure, as a number with an uncertainty and a verdict.
//
// A statement is a sentence and a piece of evidence (evidence.hpp); its verdict is judged from the
// evidence, like that of a claim. Where a sentence is vague ("close", "very good"), the bound is our
// reading of it, and to miss it refutes nothing (our_reading).
#pragma once

#include <lemmata/verify/evidence.hpp>
#include <lemmata/verify/json.hpp>

#include <string>
#include <vector>

namespace lemmata::verify {

struct Statement {
    std::string text;  // what is said, in our words
    Evidence evidence;
};

Verdict verdict(const Statement& statement);

// {"text", "quantity", "expected", "measured", "uncertainty", "verdict"}
Json to_json(const Statement& statement);

// How often something happens in independent trials, claimed to be at least `bound`. The error is the
// larger arm of the exact (Clopper-Pearson) 99% interval; holds or is violated if the whole interval
// says so.
Evidence share_at_least(const std::string& quantity, int successes, int trials, double bound, std::uint64_t seed);

// "About `claimed`" said of a time that varies from run to run. Holds if the 99% interval of the median
// lies within a factor 2; violated only if no run at all does, since the paper shows runs of its own;
// vacuous if there is none.
Evidence about(const std::string& quantity, double claimed, std::vector<double> measured, std::uint64_t seed);

}  // namespace lemmata::verify
