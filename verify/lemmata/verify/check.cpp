#include "checks/checks.hpp"

#include <lemmata/error.hpp>
#include <lemmata/verify/check.hpp>
#include <lemmata/verify/claim.hpp>

#include <fmt/format.h>
#include <algorithm>
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

namespace {

// Two checks of one claim become one that gathers both kinds of evidence.
Check both(const Check& a, const Check& b) {
    Check check = a;
    check.methods.insert(check.methods.end(), b.methods.begin(), b.methods.end());
    check.run = [a, b](const Claim& claim, const Context& context) {
        auto evidence = a.run(claim, context);
        const auto more = b.run(claim, context);
        evidence.insert(evidence.end(), more.begin(), more.end());
        return evidence;
    };
    check.judges_expression = a.judges_expression && b.judges_expression;
    return check;
}

}  // namespace

std::vector<Check> all_checks() {
    std::vector<Check> all;
    for (const auto& some :
         {checks::definitions(), checks::prop_iii1(), checks::prop_iii2(), checks::prop_iii3(), checks::prop_iii4(),
          checks::appendix_a2(), checks::lemma_a1(), checks::lemma_a2(), checks::lemma_a3(), checks::lemma_a4(),
          checks::lemma_a5(), checks::lemma_a6(), checks::prop_iv1(), checks::prop_iv2(), checks::prop_iv3(),
          checks::text()})
        for (const auto& check : some) {
            const auto same = std::find_if(all.begin(), all.end(), [&](const Check& c) { return c.id == check.id; });
            if (same == all.end())
                all.push_back(check);
            else
                *same = both(*same, check);
        }
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
