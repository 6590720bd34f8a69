#include <lemmata/verify/errata.hpp>
#include <lemmata/verify/paper_order.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

namespace lemmata::verify {
namespace {

constexpr std::array<std::string_view, 3> activations{"softmax", "softmax-1", "bayes-softmax"};

// "lemma-A.5/c2" and "softmax" for "lemma-A.5/c2/softmax"; the id and nothing for others.
std::pair<std::string, std::string> split(const std::string& id) {
    const std::size_t slash = id.rfind('/');
    const std::string last = slash == std::string::npos ? "" : id.substr(slash + 1);
    if (std::find(activations.begin(), activations.end(), last) == activations.end()) return {id, ""};
    return {id.substr(0, slash), last};
}

}  // namespace

bool is_erratum(const Entry& entry) {
    return entry.printed == Verdict::refuted || !entry.findings.empty();
}

std::vector<Erratum> errata(const Ledger& ledger) {
    std::vector<Erratum> all;
    for (const Entry& entry : ledger.entries) {
        if (!is_erratum(entry)) continue;
        const auto [id, activation] = split(entry.claim.id);
        const auto same = std::find_if(all.begin(), all.end(), [&](const Erratum& e) {
            return e.id == id && outcome(*e.entries.front()) == outcome(entry) &&
                   e.entries.front()->findings == entry.findings;
        });
        if (activation.empty() || same == all.end()) {
            all.push_back({id, {&entry}, {activation}});
        } else {
            same->entries.push_back(&entry);
            same->activations.push_back(activation);
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const Erratum& a, const Erratum& b) {
        return rank(section_of(a.id)) < rank(section_of(b.id));
    });
    for (Erratum& e : all)
        if (e.entries.size() == 1) {
            e.id = e.entries.front()->claim.id;
            e.activations.clear();
        }
    return all;
}

const Evidence* witness(const Entry& entry) {
    const auto found = std::find_if(entry.evidence.begin(), entry.evidence.end(), [](const Evidence& e) {
        return e.form == Form::printed && e.outcome == Outcome::violated;
    });
    return found == entry.evidence.end() ? nullptr : &*found;
}

std::string shown(const Evidence::Value& value, double error) {
    if (std::holds_alternative<std::string>(value)) return std::get<std::string>(value);
    const double number = std::get<double>(value);
    if (!(error > 0) || !std::isfinite(error)) return fmt::format("{:.12g}", number);
    const int decimals = static_cast<int>(std::ceil(-std::log10(error)));  // the error's first digit
    if (decimals >= 0 && decimals <= 15 && std::abs(number) < 1e6 && std::abs(number) >= error)
        return fmt::format("{:.{}f}", number, decimals);
    return fmt::format("{:.2g}", number);
}

}  // namespace lemmata::verify
