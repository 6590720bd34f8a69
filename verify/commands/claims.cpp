// lemmata claims: what the ledger speaks about, without checking anything.
#include "commands/commands.hpp"

#include <lemmata/verify/check.hpp>
#include <lemmata/verify/claim.hpp>
#include <lemmata/verify/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>

namespace lemmata::verify {
namespace {

int run(const Session& session) {
    const auto claims = all_claims();
    const auto checks = all_checks();
    validate(claims, checks);
    const auto methods = [&](const Claim& claim) {
        for (const auto& check : checks)
            if (check.id == claim.id) return check.methods;
        return std::vector<std::string>{};
    };
    if (session.json) {
        Json json{{"schema", 1}, {"claims", Json::array()}};
        for (const auto& claim : claims)
            json["claims"].push_back({{"id", claim.id},
                                      {"kind", name(claim.kind)},
                                      {"statement", claim.statement},
                                      {"hypotheses", claim.hypotheses},
                                      {"printed", claim.expression},
                                      {"source", fmt::format("arXiv:{}, {}", claim.paper, claim.place)},
                                      {"uses", claim.uses},
                                      {"methods", methods(claim)}});
        std::cout << json.dump(2) << '\n';
        return 0;
    }
    if (session.quiet) {
        for (const auto& claim : claims) fmt::print("{}\n", claim.id);
        return 0;
    }
    for (const auto& claim : claims) {
        fmt::print("{}  {}\n  {}\n", paint(Colour::bold, claim.id), paint(Colour::dim, claim.place), claim.statement);
        if (!claim.hypotheses.empty()) fmt::print("  if {}\n", fmt::join(claim.hypotheses, "; "));
        fmt::print("  by {}\n\n", fmt::join(methods(claim), ", "));
    }
    fmt::print("{} claims. `lemmata verify` checks them; `lemmata verify ID` just one.\n", claims.size());
    return 0;
}

}  // namespace

void add_claims(CLI::App& app, Session& session) {
    auto* command = app.add_subcommand("claims", "The claims of the paper that are checked, and how");
    session.add_common(*command,
                       "  lemmata claims\n"
                       "  lemmata claims -q           # ids only, one a line\n"
                       "  lemmata claims --json | jq -r '.claims[].statement'");
    command->callback([&session] { session.action = [&session] { return run(session); }; });
}

}  // namespace lemmata::verify
