// Where a closed form is claimed to hold: a lower corner for each of its symbols.
//
// Counts (L, H) are integers from a least value on; everything else is real, above 0 or another
// bound, which is attained or not.
#pragma once

#include <lemmata/symbolic/activation_family.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lemmata::symbolic {

struct Range {
    GiNaC::ex symbol;
    GiNaC::numeric lower = 0;
    bool integer = false;
    bool open = false;   // lower itself is excluded
    bool point = false;  // lower is the only value
};

using Domain = std::vector<Range>;

// L >= tokens, H >= heads integer; B, v, V, W and the activation's parameters > 0.
Domain domain_of(const ActivationFamily& family, int tokens = 2, int heads = 1);

// The range of one symbol; one that is not named may be any real, which no proof here can use.
std::optional<Range> range_of(const Domain& domain, const GiNaC::ex& symbol);
// The domain with the range of one symbol replaced.
Domain with_range(Domain domain, const Range& range);

// "L >= 3, H >= 1, B > 0", only of the symbols that e mentions.
std::string print(const Domain& domain, const GiNaC::ex& e);
bool contains(const Domain& domain, const GiNaC::exmap& point);

// Points of the domain, simplest first: small integers, then halves; over the symbols of e only.
std::vector<GiNaC::exmap> sample_points(const Domain& domain, const GiNaC::ex& e, std::size_t most = 400);

}  // namespace lemmata::symbolic
