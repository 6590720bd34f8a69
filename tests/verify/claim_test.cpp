#include <lemmata/error.hpp>
#include <lemmata/verify/check.hpp>
#include <lemmata/verify/claim.hpp>

#include <catch2/catch.hpp>

using namespace lemmata;
using namespace lemmata::verify;
using Catch::Matchers::Contains;

namespace {

std::string claim(const std::string& id, const std::string& more = "") {
    return "[[claim]]\nid = \"" + id + "\"\npaper = \"2603.03993v1\"\nplace = \"p\"\nstatement = \"s\"\n" + more;
}

std::vector<Claim> loaded(const std::string& text) {
    auto claims = parse_claims(text, "c.toml");
    validate(claims);
    return claims;
}

}  // namespace

TEST_CASE("the claims that are compiled in load and match the checks") {
    const auto claims = all_claims();
    CHECK_FALSE(claims.empty());
    CHECK_NOTHROW(validate(claims, all_checks()));
}

TEST_CASE("claims files are strict") {
    CHECK(loaded(claim("a") + claim("b", "uses = [\"a\"]\n")).size() == 2);
    CHECK_THROWS_WITH(loaded(claim("a") + claim("a")), Contains("an id that no other claim has"));
    CHECK_THROWS_WITH(loaded(claim("a", "uses = [\"b\"]\n")), Contains("claim a: uses: b"));
    CHECK_THROWS_WITH(loaded(claim("a", "verdict = \"proved\"\n")), Contains("verdict: unknown key"));
    CHECK_THROWS_WITH(loaded("[[claim]]\nid = \"a\"\n"), Contains("c.toml: claim[0].paper: missing"));
    CHECK_THROWS_WITH(loaded(claim("a", "kind = \"guess\"\n")), Contains("claim a: kind: guess"));
    CHECK_THROWS_WITH(loaded(claim("a", "[claim.corrected]\nstatement = \"t\"\n")), Contains("finding: missing"));
}

TEST_CASE("a claim without a check, or a check without a claim, is an error") {
    const auto claims = loaded(claim("a"));
    const Check a{"a", {}, {}}, b{"b", {}, {}};
    CHECK_NOTHROW(validate(claims, {a}));
    CHECK_THROWS_WITH(validate(claims, {}), Contains("claim: a"));
    CHECK_THROWS_WITH(validate(claims, {a, b}), Contains("check: b"));
    CHECK_THROWS_WITH(validate(claims, {a, a}), Contains("one check"));
}

TEST_CASE("a claim's kind is given, or follows from its id") {
    const auto kind = [](const std::string& id, const std::string& more = "") {
        return loaded(claim(id, more)).front().kind;
    };
    CHECK(kind("eq-7", "kind = \"definition\"\n") == Kind::definition);
    CHECK(kind("eq-17") == Kind::equation);
    CHECK(kind("lemma-A.1") == Kind::lemma);
    CHECK(kind("prop-IV.2") == Kind::proposition);
    CHECK(kind("text/fig-1-tau-u") == Kind::text);
}
