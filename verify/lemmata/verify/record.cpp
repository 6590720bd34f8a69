#include <lemmata/error.hpp>
#include <lemmata/verify/file.hpp>
#include <lemmata/verify/prose.hpp>
#include <lemmata/verify/record.hpp>
#include <lemmata/verify/toml_section.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace lemmata::verify {
namespace {

using Json = nlohmann::ordered_json;

template <typename Enum>
Enum from_name(std::string_view wanted, std::initializer_list<Enum> all) {
    for (const Enum e : all)
        if (name(e) == wanted) return e;
    throw InvalidInput("kind, verdict or outcome", std::string(wanted), "one of those that a ledger has");
}

Verdict verdict(const Json& json) {
    return from_name(json.get<std::string>(),
                     {Verdict::proved, Verdict::supported, Verdict::refuted, Verdict::inconclusive, Verdict::vacuous});
}

// JSON has no infinities: what is not finite was written as null.
double number(const Json& json) {
    return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Evidence::Value value(const Json& json) {
    if (json.is_string()) return json.get<std::string>();
    return number(json);
}

Evidence evidence_from_json(const Json& json) {
    Evidence e;
    e.form = json.at("form") == "printed" ? Form::printed : Form::corrected;
    e.method = json.at("method");
    e.quantity = json.at("quantity");
    e.expected = value(json.at("expected"));
    e.measured = value(json.at("measured"));
    e.error = number(json.at("error"));
    e.tolerance = number(json.at("tolerance"));
    e.outcome = from_name(json.at("outcome").get<std::string>(),
                          {Outcome::holds, Outcome::violated, Outcome::undecided, Outcome::vacuous});
    e.proof = json.at("proof");
    if (!json.at("seed").is_null()) e.seed = json.at("seed").get<std::uint64_t>();
    return e;
}

Entry entry_from_json(const Json& json) {
    Entry entry;
    entry.claim.id = json.at("id");
    entry.claim.place = json.at("place");
    entry.claim.kind = from_name(json.at("kind").get<std::string>(),
                                 {Kind::definition, Kind::equation, Kind::lemma, Kind::proposition, Kind::text});
    entry.claim.statement = json.at("statement");
    entry.claim.hypotheses = json.at("hypotheses").get<std::vector<std::string>>();
    entry.methods = json.at("methods").get<std::vector<std::string>>();
    entry.printed = verdict(json.at("printed").at("verdict"));
    entry.findings = json.at("findings").get<std::vector<std::string>>();
    if (const Json& corrected = json.at("corrected"); !corrected.is_null()) {
        entry.corrected = verdict(corrected.at("verdict"));
        entry.claim.corrected = Correction{corrected.at("statement"), "", entry.findings.back()};
    }
    for (const Json& e : json.at("evidence")) entry.evidence.push_back(evidence_from_json(e));
    entry.failure = json.value("failure", "");
    return entry;
}

Json parse(const std::filesystem::path& file) {
    try {
        return Json::parse(read_text(file.string()));
    } catch (const Json::exception& e) {
        throw InvalidInput(file.string(), e.what(), "JSON");
    }
}

std::string measurement(const std::string& what, const Evidence::Value& value) {
    const auto* real = std::get_if<double>(&value);
    const bool numeric = real != nullptr && std::isfinite(*real);
    return fmt::format("<CTestMeasurement type=\"{}\" name=\"{}\">{}</CTestMeasurement>\n",
                       numeric ? "numeric/double" : "text/string", html_escaped(what),
                       real != nullptr ? fmt::format("{}", *real) : html_escaped(std::get<std::string>(value)));
}

}  // namespace

Ledger ledger_from_json(const Json& json) {
    try {
        Ledger ledger{tier_from_name(json.at("tier").get<std::string>()), json.at("seed").get<std::uint64_t>(), {}};
        for (const Json& claim : json.at("claims")) ledger.entries.push_back(entry_from_json(claim));
        return ledger;
    } catch (const Json::exception& e) {
        throw InvalidInput("ledger", e.what(), "what `lemmata verify` writes as ledger.json");
    }
}

Ledger read_ledger(const std::filesystem::path& file) {
    try {
        return ledger_from_json(parse(file));
    } catch (const InvalidInput& e) {
        throw e.within(file.string());
    }
}

std::string record_name(const std::string& id) {
    std::string text = id;
    std::replace(text.begin(), text.end(), '/', '.');
    return text;
}

void write_records(const std::filesystem::path& folder, const Ledger& ledger) {
    for (const Entry& entry : ledger.entries) {
        Json json = to_json(Ledger{ledger.tier, ledger.seed, {entry}});
        json["seconds"] = entry.seconds;
        write_file(folder / (record_name(entry.claim.id) + ".json"), json.dump(2) + "\n");
    }
}

Ledger read_records(const std::filesystem::path& folder, const std::vector<std::string>& wanted,
                    std::filesystem::file_time_type oldest) {
    Ledger ledger{Tier::quick, 0, {}};
    for (const Claim& claim : select_claims(wanted)) {
        const auto file = folder / (record_name(claim.id) + ".json");
        std::error_code missing;
        const auto time = std::filesystem::last_write_time(file, missing);
        if (missing) throw Unfinished(fmt::format("{}: no record of {}; run its check first", file.string(), claim.id));
        if (time < oldest)
            throw Unfinished(fmt::format("{}: older than this program; run the check again", file.string()));
        const Json json = parse(file);
        Ledger one = read_ledger(file);
        if (ledger.entries.empty()) {
            ledger.tier = one.tier;
            ledger.seed = one.seed;
        }
        if (one.tier != ledger.tier || one.seed != ledger.seed || one.entries.size() != 1)
            throw InvalidInput(file.string(), fmt::format("tier {}, seed {}", name(one.tier), one.seed),
                               fmt::format("one claim at tier {}, seed {}", name(ledger.tier), ledger.seed));
        ledger.entries.push_back(std::move(one.entries.front()));
        ledger.entries.back().seconds = json.value("seconds", 0.0);
    }
    return ledger;
}

std::string measurements(const Entry& entry) {
    std::string text = measurement("verdict", outcome(entry));
    for (std::size_t i = 0; i < entry.evidence.size(); ++i) {
        const Evidence& e = entry.evidence[i];
        const std::string what = fmt::format("{} {}: {}", i + 1, e.method, e.quantity);
        text += measurement(what + ": found", e.measured) + measurement(what + ": claimed", e.expected);
        if (std::holds_alternative<double>(e.measured)) text += measurement(what + ": error", e.error);
    }
    return text;
}

}  // namespace lemmata::verify
