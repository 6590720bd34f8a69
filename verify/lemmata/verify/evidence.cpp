#include <lemmata/verify/evidence.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace lemmata::verify {

std::string_view name(Verdict verdict) {
    switch (verdict) {
        case Verdict::proved:
            return "proved";
        case Verdict::supported:
            return "supported";
        case Verdict::refuted:
            return "refuted";
        case Verdict::inconclusive:
            return "inconclusive";
        case Verdict::vacuous:
            return "vacuous";
    }
    throw std::logic_error("unknown verdict");
}

std::string_view name(Outcome outcome) {
    switch (outcome) {
        case Outcome::holds:
            return "holds";
        case Outcome::violated:
            return "violated";
        case Outcome::undecided:
            return "undecided";
        case Outcome::vacuous:
            return "vacuous";
    }
    throw std::logic_error("unknown outcome");
}

Evidence compare(Form form, std::string method, std::string quantity, double expected, const Estimate& measured,
                 double resolution, std::optional<std::uint64_t> seed) {
    Evidence e{form, std::move(method), std::move(quantity), expected, measured.value, margin(measured), 0, {}, false,
               seed};
    e.tolerance = e.error + 4e-16 * std::max(std::abs(expected), std::abs(measured.value));
    const double distance = std::abs(measured.value - expected);
    if (!std::isfinite(distance) || !std::isfinite(e.tolerance))
        e.outcome = Outcome::undecided;
    else if (distance > e.tolerance)
        e.outcome = Outcome::violated;
    else
        e.outcome = e.tolerance <= resolution ? Outcome::holds : Outcome::undecided;
    return e;
}

namespace {

// excess: how far the measurement is on the wrong side of the bound.
Evidence bounded(Form form, std::string method, std::string quantity, std::string expected, const Estimate& measured,
                 double excess, std::optional<std::uint64_t> seed) {
    Evidence e;
    e.form = form;
    e.method = std::move(method);
    e.quantity = std::move(quantity);
    e.expected = std::move(expected);
    e.measured = measured.value;
    e.error = e.tolerance = margin(measured);
    e.seed = seed;
    if (excess <= -e.error) e.outcome = Outcome::holds;
    if (excess > e.error) e.outcome = Outcome::violated;
    return e;
}

}  // namespace

Evidence at_most(Form form, std::string method, std::string quantity, double bound, const Estimate& measured,
                 std::optional<std::uint64_t> seed) {
    return bounded(form, std::move(method), std::move(quantity), fmt::format("<= {:.6g}", bound), measured,
                   measured.value - bound, seed);
}

Evidence at_least(Form form, std::string method, std::string quantity, double bound, const Estimate& measured,
                  std::optional<std::uint64_t> seed) {
    return bounded(form, std::move(method), std::move(quantity), fmt::format(">= {:.6g}", bound), measured,
                   bound - measured.value, seed);
}

Evidence our_reading(Evidence e) {
    if (e.outcome == Outcome::violated) e.outcome = Outcome::undecided;
    return e;
}

Verdict judge(const std::vector<Evidence>& evidence, Form form) {
    bool any = false, all_hold = true, violated = false, proof = false, vacuous = false;
    for (const auto& e : evidence) {
        if (e.form != form) continue;
        any = true;
        vacuous |= e.outcome == Outcome::vacuous;
        violated |= e.outcome == Outcome::violated;
        all_hold &= e.outcome == Outcome::holds;
        proof |= e.proof && e.outcome == Outcome::holds;
    }
    if (violated) return proof ? Verdict::inconclusive : Verdict::refuted;
    if (proof) return Verdict::proved;
    if (vacuous) return Verdict::vacuous;
    return any && all_hold ? Verdict::supported : Verdict::inconclusive;
}

}  // namespace lemmata::verify
