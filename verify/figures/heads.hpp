// What many runs have in common: in which order features are learnt, how evenly the heads split.
#pragma once

#include <lemmata/path.hpp>
#include <lemmata/prior.hpp>
#include <lemmata/verify/statement.hpp>

namespace lemmata::verify::figures {

struct Heads {
    int runs = 0;
    int settled = 0;                   // runs that had come to rest by their end: no entry of the gradient above 1e-8
    int even = 0;                      // runs that end with an even split in every feature
    int all_patterns = 0;              // … with all 2^F sign patterns
    int excursions = 0;                // runs with at least one excursion on the way
    int uneven_first = 0;              // uneven in the first feature when it was learnt
    int mended = 0;                    // … and even in the end
    std::vector<int> patterns;         // of each run
    std::vector<int> groups;           // … heads within a tenth of the largest overlap of each other
    std::vector<double> time_ratios;   // learning time of each feature over that of the one before, if one is learnt
    std::vector<double> later_ratios;  // the same as later over earlier
    // A share of the runs, claimed to be one half at least. What runs still on their way have not done yet refutes
    // nothing.
    [[nodiscard]] Evidence most(const std::string& quantity, int successes, std::uint64_t seed) const;
    // Features are learnt in their order: in every run it holds, in none it is violated. The error is relative.
    [[nodiscard]] Evidence in_order(const std::string& where, double error, std::uint64_t seed) const;
    // For a figure's record.
    [[nodiscard]] Json observed() const;
};

// A head has learnt a feature if its overlap is a tenth or more of the largest one with that feature, and that is 0.1
// at least: weaker features have smaller overlaps.
Heads census(const std::vector<Path>& paths, const Prior& prior);

// Largest relative change of a time ratio from a run to the same run done more coarsely (coarse_runs.hpp).
double ratio_error(const Path& path, const Path& coarse, const Prior& prior);

}  // namespace lemmata::verify::figures
