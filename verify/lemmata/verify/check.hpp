// Checks compute the evidence for a claim. One file per result of the paper: verify/checks/.
#pragma once

#include <lemmata/verify/evidence.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lemmata::verify {

struct Claim;

enum class Tier { quick, standard, full };
std::string_view name(Tier tier);
Tier tier_from_name(std::string_view name);  // throws InvalidInput

struct Context {
    Tier tier = Tier::standard;
    std::uint64_t seed = 1;
    std::function<void()> poll = [] {};  // called between pieces of work; may throw to stop
};

struct Check {
    std::string id;                    // of the claim
    std::vector<std::string> methods;  // what it does, for the reader of `lemmata claims`
    std::function<std::vector<Evidence>(const Claim&, const Context&)> run;
    bool judges_expression = false;  // evidence is about the claim's expression, so mutants of it can be judged
};

// Every check there is, in the order of the paper.
std::vector<Check> all_checks();

// InvalidInput unless claims and checks match one to one.
void validate(const std::vector<Claim>& claims, const std::vector<Check>& checks);

}  // namespace lemmata::verify
