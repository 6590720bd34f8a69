#include "checks/checks.hpp"

#include <lemmata/error.hpp>
#include <lemmata/verify/claim.hpp>
#include <lemmata/verify/embedded.hpp>
#include <lemmata/verify/toml_section.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

namespace lemmata::verify {

std::string_view name(Kind kind) {
    switch (kind) {
        case Kind::definition:
            return "definition";
        case Kind::equation:
            return "equation";
        case Kind::lemma:
            return "lemma";
        case Kind::proposition:
            return "proposition";
        case Kind::text:
            return "text";
    }
    throw std::logic_error("unknown kind");
}

namespace {

constexpr std::array all_kinds{Kind::definition, Kind::equation, Kind::lemma, Kind::proposition, Kind::text};

Kind kind_of(const std::string& id, const std::optional<std::string>& given) {
    if (given) {
        for (const Kind kind : all_kinds)
            if (name(kind) == *given) return kind;
        throw InvalidInput(fmt::format("claim {}: kind", id), *given,
                           "definition, equation, lemma, proposition or text");
    }
    if (id.starts_with("lemma-")) return Kind::lemma;
    if (id.starts_with("prop-")) return Kind::proposition;
    if (id.starts_with("text/")) return Kind::text;
    return Kind::equation;
}

Claim read_claim(TomlSection section) {
    Claim claim;
    claim.id = section.required("id", section.text("id"));
    claim.paper = section.required("paper", section.text("paper"));
    claim.place = section.required("place", section.text("place"));
    claim.kind = kind_of(claim.id, section.text("kind"));
    claim.statement = section.required("statement", section.text("statement"));
    claim.hypotheses = section.texts("hypotheses").value_or(std::vector<std::string>{});
    claim.expression = section.text("printed").value_or("");
    claim.uses = section.texts("uses").value_or(std::vector<std::string>{});
    if (auto corrected = section.section("corrected")) {
        claim.corrected = Correction{corrected->required("statement", corrected->text("statement")),
                                     corrected->text("printed").value_or(""),
                                     corrected->required("finding", corrected->text("finding"))};
        corrected->finish();
    }
    section.finish();
    return claim;
}

}  // namespace

std::vector<Claim> parse_claims(std::string_view text, const std::string& source) {
    const toml::table table = parse_toml(text, source);
    try {
        TomlSection document(table, "");
        std::vector<Claim> claims;
        for (auto& section : document.sections("claim")) claims.push_back(read_claim(section));
        document.finish();
        return claims;
    } catch (const InvalidInput& e) {
        throw e.within(source);
    }
}

void validate(const std::vector<Claim>& claims) {
    std::set<std::string> ids;
    for (const auto& claim : claims)
        if (!ids.insert(claim.id).second) throw InvalidInput("claim.id", claim.id, "an id that no other claim has");
    for (const auto& claim : claims)
        for (const auto& used : claim.uses)
            if (!ids.contains(used))
                throw InvalidInput(fmt::format("claim {}: uses", claim.id), used, "the id of a claim");
}

std::vector<Claim> all_claims() {
    std::vector<Claim> claims;
    for (const auto& file : embedded_claims())
        for (auto& claim : parse_claims(file.text, std::string(file.name))) claims.push_back(std::move(claim));
    for (auto& claim : checks::appendix_a2_claims())
        if (std::none_of(claims.begin(), claims.end(), [&](const Claim& c) { return c.id == claim.id; }))
            claims.push_back(std::move(claim));
    validate(claims);
    return claims;
}

}  // namespace lemmata::verify
