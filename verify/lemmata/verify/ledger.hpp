// The ledger: for each claim the verdict on its printed form and, where that fails, on its
// corrected form, with all evidence. What `lemmata verify` writes as ledger.json.
#pragma once

#include <lemmata/verify/check.hpp>
#include <lemmata/verify/claim.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lemmata::verify {

struct Entry {
    Claim claim;
    std::vector<std::string> methods;
    std::vector<Evidence> evidence;
    Verdict printed = Verdict::inconclusive;
    std::optional<Verdict> corrected;  // when the printed form is refuted, or ill-formed and mended by proof
    std::vector<std::string> findings;
    std::string failure;  // what a check threw, if it did; the verdict is then inconclusive
    double seconds = 0;   // kept out of ledger.json
};

struct Ledger {
    Tier tier;
    std::uint64_t seed;
    std::vector<Entry> entries;
};

// The claims whose id is, or begins up to a slash with, one of `wanted`; all if that is empty.
// InvalidInput if one of them matches nothing, or if claims and checks do not match.
std::vector<Claim> select_claims(const std::vector<std::string>& wanted);

// Runs the checks of the claims selected. `started` is told each claim's number and id.
Ledger run_checks(const std::vector<std::string>& wanted, const Context& context,
                  const std::function<void(std::size_t, std::size_t, const std::string&)>& started = {});

Entry run_check(const Claim& claim, const Check& check, const Context& context);

nlohmann::ordered_json to_json(const Ledger& ledger);
nlohmann::ordered_json timings(const Ledger& ledger);
std::string summary(const Entry& entry, Form form);  // one line: how many comparisons, the worst of them

// Expected verdicts: what a person has looked at and accepted. No check reads it.
using Baseline = std::map<std::string, std::string>;  // id -> "refuted" or "refuted -> supported"
std::string outcome(const Entry& entry);
Baseline read_baseline(Tier tier);
Baseline parse_baseline(std::string_view text, const std::string& source);
std::string baseline_text(Baseline baseline, const Ledger& ledger);  // baseline updated with the ledger

}  // namespace lemmata::verify
