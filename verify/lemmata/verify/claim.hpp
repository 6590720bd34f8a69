// Claims are data: verify/claims/*.toml, compiled into the library.
//
//   [[claim]]
//   id         = "lemma-A.4/eq-33"      permanent; parts after a slash
//   paper      = "2603.03993v1"
//   place      = "App. A.2.2, Lemma A.4, eq. (33)"
//   kind       = "equation"             definition | equation | lemma | proposition | text; if it is not
//                                       given, what the id begins with says: lemma-, prop-, text/, eq-
//   statement  = "…"                    in words and LaTeX, ours
//   hypotheses = ["…"]
//   printed    = "-2*(L*v/(L+B)-1)*v/H*B/(L+B)^2"   the printed expression, where there is one
//   uses       = ["…"]                  ids of claims that this one's wording relies on
//   [claim.corrected]                   how it should read, if the printed form fails
//   statement  = "…"
//   printed    = "…"
//   finding    = "wrong-factor"         what kind of slip the correction mends
//
// No verdict is stored: checks compute it (check.hpp). A correction and its finding take effect
// only when the printed form is found refuted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lemmata::verify {

// What sort of statement it is. A definition cannot be false; its check is that what we compute is
// the thing defined, by another route.
enum class Kind { definition, equation, lemma, proposition, text };
std::string_view name(Kind kind);

struct Correction {
    std::string statement;
    std::string expression;
    std::string finding;
};

struct Claim {
    std::string id;
    std::string paper;
    std::string place;
    Kind kind = Kind::equation;
    std::string statement;
    std::vector<std::string> hypotheses;
    std::string expression;
    std::vector<std::string> uses;
    std::optional<Correction> corrected;
};

// One file's claims; InvalidInput on unknown keys, missing ones or wrong types.
std::vector<Claim> parse_claims(std::string_view text, const std::string& source);

// All claims that were compiled in, ordered by file and position; InvalidInput on duplicate ids
// and on uses of ids that do not exist.
std::vector<Claim> all_claims();

// Throws as all_claims does.
void validate(const std::vector<Claim>& claims);

}  // namespace lemmata::verify
