#include "checks/checks.hpp"

#include <lemmata/error.hpp>
#include <lemmata/verify/check.hpp>
#include <lemmata/verify/claim.hpp>

#include <fmt/format.h>
#include <iterator>
#include <set>
#include <stdexcept>

namespace lemmata::verify {

std::string_view name(Tier tier) {
    switch (tier) {
        case Tier::quick:
            return "quick";
        case Tier::standard:
            return "standard";
        case Tier::full:
            return "full";
    }
    throw std::logic_error("unknown tier");
}

Tier tier_from_name(std::string_view wanted) {
    for (const Tier tier : {Tier::quick, Tier::standard, Tier::full})
        if (name(tier) == wanted) return tier;
    throw InvalidInput("--tier", fmt::format("\"{}\"", wanted), "quick, standard or full");
}

std::vector<Check> all_checks() {
    std::vector<Check> all;
    for (auto&& some : {checks::lemma_a3(), checks::lemma_a4()})
        std::copy(some.begin(), some.end(), std::back_inserter(all));
    return all;
}

void validate(const std::vector<Claim>& claims, const std::vector<Check>& checks) {
    std::set<std::string> claimed, checked;
    for (const auto& claim : claims) claimed.insert(claim.id);
    for (const auto& check : checks) {
        if (!checked.insert(check.id).second) throw InvalidInput("check", check.id, "one check for a claim");
        if (!claimed.contains(check.id)) throw InvalidInput("check", check.id, "the id of a claim");
    }
    for (const auto& id : claimed)
        if (!checked.contains(id)) throw InvalidInput("claim", id, "a check with this id");
}

}  // namespace lemmata::verify
