#include <lemmata/error.hpp>
#include <lemmata/verify/embedded.hpp>
#include <lemmata/verify/ledger.hpp>
#include <lemmata/verify/toml_section.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cmath>

namespace lemmata::verify {
namespace {

bool matches(const std::string& id, const std::string& wanted) {
    return id == wanted || (id.starts_with(wanted) && id[wanted.size()] == '/');
}

nlohmann::ordered_json to_json(const Evidence::Value& value) {
    return std::visit([](const auto& v) { return nlohmann::ordered_json(v); }, value);
}

nlohmann::ordered_json to_json(const Evidence& e) {
    nlohmann::ordered_json json{{"form", e.form == Form::printed ? "printed" : "corrected"},
                                {"method", e.method},
                                {"quantity", e.quantity},
                                {"expected", to_json(e.expected)},
                                {"measured", to_json(e.measured)},
                                {"error", e.error},
                                {"tolerance", e.tolerance},
                                {"outcome", name(e.outcome)},
                                {"passed", e.outcome == Outcome::holds},
                                {"proof", e.proof}};
    json["seed"] = e.seed ? nlohmann::ordered_json(*e.seed) : nlohmann::ordered_json(nullptr);
    return json;
}

}  // namespace

Entry run_check(const Claim& claim, const Check& check, const Context& context) {
    Entry entry;
    entry.claim = claim;
    entry.methods = check.methods;
    const auto start = std::chrono::steady_clock::now();
    try {
        entry.evidence = check.run(claim, context);
        entry.printed = judge(entry.evidence, Form::printed);
    } catch (const InvalidInput& e) {
        entry.failure = e.what();
    } catch (const Unfinished& e) {
        entry.failure = e.what();
    }
    if (entry.printed == Verdict::vacuous) entry.findings.push_back("vacuous");
    if (claim.corrected) {
        const Verdict corrected = judge(entry.evidence, Form::corrected);
        // A printed formula may also be too ill-formed to be false; a proof of the mended one tells.
        if (entry.printed == Verdict::refuted ||
            (entry.printed == Verdict::inconclusive && corrected == Verdict::proved)) {
            entry.corrected = corrected;
            entry.findings.push_back(claim.corrected->finding);
        }
    }
    entry.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return entry;
}

std::vector<Claim> select_claims(const std::vector<std::string>& wanted) {
    const auto claims = all_claims();
    validate(claims, all_checks());
    for (const auto& w : wanted)
        if (std::none_of(claims.begin(), claims.end(), [&](const auto& c) { return matches(c.id, w); }))
            throw InvalidInput("ID", w, "a claim's id, or its beginning up to a slash (see `lemmata claims`)");
    std::vector<Claim> selected;
    std::copy_if(claims.begin(), claims.end(), std::back_inserter(selected), [&](const Claim& c) {
        return wanted.empty() ||
               std::any_of(wanted.begin(), wanted.end(), [&](const auto& w) { return matches(c.id, w); });
    });
    return selected;
}

Ledger run_checks(const std::vector<std::string>& wanted, const Context& context,
                  const std::function<void(std::size_t, std::size_t, const std::string&)>& started) {
    const auto checks = all_checks();
    const auto selected = select_claims(wanted);
    Ledger ledger{context.tier, context.seed, {}};
    for (const auto& claim : selected) {
        if (started) started(ledger.entries.size(), selected.size(), claim.id);
        const auto check = std::find_if(checks.begin(), checks.end(), [&](const auto& c) { return c.id == claim.id; });
        ledger.entries.push_back(run_check(claim, *check, context));
    }
    return ledger;
}

std::string summary(const Entry& entry, Form form) {
    if (!entry.failure.empty()) return "the check could not finish: " + entry.failure;
    std::size_t total = 0, hold = 0;
    const Evidence* worst = nullptr;
    for (const auto& e : entry.evidence) {
        if (e.form != form) continue;
        ++total;
        hold += e.outcome == Outcome::holds ? 1 : 0;
        if (e.outcome == Outcome::violated && worst == nullptr) worst = &e;
    }
    std::string text = fmt::format("{} of {} comparisons hold", hold, total);
    if (worst == nullptr) return text;
    const auto shown = [](const Evidence::Value& v) {
        return std::holds_alternative<double>(v) ? fmt::format("{:.10g}", std::get<double>(v))
                                                 : std::get<std::string>(v);
    };
    return text + fmt::format("; witness {}: claimed {}, found {} (error {:.1g})", worst->quantity,
                              shown(worst->expected), shown(worst->measured), worst->error);
}

nlohmann::ordered_json to_json(const Ledger& ledger) {
    nlohmann::ordered_json json{{"schema", 1},
                                {"paper", "arXiv:2603.03993v1"},
                                {"version", LEMMATA_VERSION},
                                {"tier", name(ledger.tier)},
                                {"seed", ledger.seed}};
    auto& claims = json["claims"] = nlohmann::ordered_json::array();
    for (const auto& entry : ledger.entries) {
        nlohmann::ordered_json c{
            {"id", entry.claim.id},
            {"place", entry.claim.place},
            {"kind", name(entry.claim.kind)},
            {"statement", entry.claim.statement},
            {"hypotheses", entry.claim.hypotheses},
            {"printed", {{"verdict", name(entry.printed)}, {"summary", summary(entry, Form::printed)}}},
            {"corrected", nullptr},
            {"findings", entry.findings},
            {"methods", entry.methods}};
        if (entry.corrected)
            c["corrected"] = {{"statement", entry.claim.corrected->statement},
                              {"verdict", name(*entry.corrected)},
                              {"summary", summary(entry, Form::corrected)}};
        if (!entry.failure.empty()) c["failure"] = entry.failure;
        c["evidence"] = nlohmann::ordered_json::array();
        for (const auto& e : entry.evidence) c["evidence"].push_back(to_json(e));
        c["command"] =
            fmt::format("lemmata verify {} --tier {} --seed {}", entry.claim.id, name(ledger.tier), ledger.seed);
        claims.push_back(std::move(c));
    }
    return json;
}

nlohmann::ordered_json timings(const Ledger& ledger) {
    nlohmann::ordered_json json{{"schema", 1}, {"seconds", nlohmann::ordered_json::object()}};
    for (const auto& entry : ledger.entries) json["seconds"][entry.claim.id] = entry.seconds;
    return json;
}

std::string outcome(const Entry& entry) {
    std::string text(name(entry.printed));
    if (entry.corrected) text += fmt::format(" -> {}", name(*entry.corrected));
    return text;
}

Baseline parse_baseline(std::string_view text, const std::string& source) {
    Baseline baseline;
    for (const auto& [key, node] : parse_toml(text, source)) {
        if (!node.is_string())
            throw InvalidInput(fmt::format("{}: {}", source, key.str()), "not a string", "a verdict");
        baseline[std::string(key.str())] = **node.as_string();
    }
    return baseline;
}

Baseline read_baseline(Tier tier) {
    for (const auto& file : embedded_baselines())
        if (file.name == fmt::format("{}.toml", name(tier))) return parse_baseline(file.text, std::string(file.name));
    return {};
}

std::string baseline_text(Baseline baseline, const Ledger& ledger) {
    for (const auto& entry : ledger.entries) baseline[entry.claim.id] = outcome(entry);
    std::string text = fmt::format(
        "# Accepted verdicts at tier {}. Written by `lemmata verify --accept`; read by nothing but the\n"
        "# comparison at the end of `lemmata verify`.\n",
        name(ledger.tier));
    for (const auto& [id, verdict] : baseline) text += fmt::format("\"{}\" = \"{}\"\n", id, verdict);
    return text;
}

}  // namespace lemmata::verify
