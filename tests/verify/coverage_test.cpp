// Every numbered equation of the paper and every result is claimed somewhere, and every claim's verdict
// has been accepted at both tiers that people run.
#include <lemmata/verify/claim.hpp>
#include <lemmata/verify/ledger.hpp>
#include <lemmata/verify/paper_order.hpp>

#include <catch2/catch.hpp>

#include <regex>
#include <set>

using namespace lemmata::verify;

namespace {

// The equation numbers in a claim's place: "(25)-(27)" names three, "after (55)" and "before (18)" none.
std::set<int> equations(const std::string& place) {
    const std::string text = std::regex_replace(place, std::regex(R"((after|before) (eqs?\. )?\(\d+\))"), "");
    const std::regex pattern(R"(\((\d+)\)(?:-\((\d+)\))?)");
    std::set<int> numbers;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), pattern); it != std::sregex_iterator(); ++it) {
        const int first = std::stoi((*it)[1]), last = (*it)[2].matched ? std::stoi((*it)[2]) : first;
        for (int n = first; n <= last; ++n) numbers.insert(n);
    }
    return numbers;
}

constexpr int last_equation = 70;

std::vector<int> missing(const std::vector<Claim>& claims) {
    std::set<int> named;
    for (const auto& claim : claims) named.merge(equations(claim.place));
    std::vector<int> absent;
    for (int n = 1; n <= last_equation; ++n)
        if (!named.contains(n)) absent.push_back(n);
    return absent;
}

}  // namespace

TEST_CASE("a place names equations") {
    CHECK(equations("App. A.2, Lemma A.5, (42)-(44), (50)") == std::set{42, 43, 44, 50});
    CHECK(equations("Prop. III.1, eq. (8); App. A.1, eq. (18)") == std::set{8, 18});
    CHECK(equations("table after (55)").empty());
    CHECK(equations("Sec. III, after eq. (11)").empty());
}

TEST_CASE("every numbered equation of the paper is a claim or a definition") {
    std::vector<Claim> claims = all_claims();
    CHECK(missing(claims) == std::vector<int>{});
    // Without those about (45)-(46) the loss is noticed.
    std::erase_if(claims, [](const Claim& claim) { return equations(claim.place).contains(46); });
    CHECK(missing(claims) == std::vector<int>{45, 46});
}

TEST_CASE("every result of the paper is claimed, and so is the table after eq. 55") {
    std::set<std::string> sections, ids;
    for (const auto& claim : all_claims()) {
        sections.insert(section_of(claim.id));
        ids.insert(claim.id);
    }
    for (const char* result :
         {"prop-III.1", "prop-III.2", "prop-III.3", "prop-III.4", "lemma-III.1", "lemma-III.2", "prop-IV.1",
          "prop-IV.2", "prop-IV.3", "lemma-A.1", "lemma-A.2", "lemma-A.3", "lemma-A.4", "lemma-A.5", "lemma-A.6"}) {
        INFO(result);
        CHECK(sections.contains(result));
    }
    for (const char* constant : {"c3", "c4"})
        for (const char* activation : {"softmax", "softmax-1", "bayes-softmax"})
            CHECK(ids.contains(std::string("lemma-A.5/") + constant + "/" + activation));
}

TEST_CASE("the accepted verdicts are those of the claims there are") {
    std::set<std::string> ids;
    for (const auto& claim : all_claims()) ids.insert(claim.id);
    for (const Tier tier : {Tier::quick, Tier::standard}) {
        std::set<std::string> accepted;
        for (const auto& [id, verdict] : read_baseline(tier)) accepted.insert(id);
        CHECK(accepted == ids);
    }
}
