#include <lemmata/bayes_risk.hpp>
#include <lemmata/bayes_risk_monte_carlo.hpp>
#include <lemmata/error.hpp>
#include <lemmata/exponential_race.hpp>
#include <lemmata/likelihood_points.hpp>
#include <lemmata/mellin_law.hpp>
#include <lemmata/orthogonal_groups.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

namespace lemmata {
namespace {

constexpr std::array all_methods{RiskMethod::automatic, RiskMethod::mellin, RiskMethod::radial,
                                 RiskMethod::lattice,   RiskMethod::sobol,  RiskMethod::monte_carlo};
constexpr int most_levels = 8;
constexpr int replicates = 16;

// One orthogonal group and how its law is to be had.
struct Part {
    OrthogonalGroup group;
    RiskMethod method;
    int copies = 1;  // equal groups count together (mellin only)
    std::optional<MellinLaw> mellin = {};
};

RiskMethod method_for(const Prior& group, RiskMethod wanted, double tail) {
    if (wanted != RiskMethod::automatic) return wanted;
    if (group.components().size() == 1) return RiskMethod::mellin;
    if (radial(group)) return RiskMethod::radial;
    const bool small = group.features() <= max_tensor_features && tensor_count(group, 1, tail) <= max_tensor_points;
    return small ? RiskMethod::lattice : RiskMethod::sobol;
}

std::vector<Part> parts_of(const Prior& prior, RiskMethod wanted, double tail) {
    std::vector<Part> parts;
    for (auto& group : orthogonal_groups(prior)) {
        Part part{std::move(group), RiskMethod::automatic};
        part.method = method_for(part.group.prior, wanted, tail);
        if (part.method == RiskMethod::mellin) {
            const auto& components = part.group.prior.components();
            if (components.size() != 1)
                throw InvalidInput("method", "mellin", "a prior of mutually orthogonal components; this one mixes");
            Component component = components.front();
            component.weight = part.group.weight;
            part.mellin.emplace(component);
            bool known = false;
            for (auto& other : parts)
                if (other.mellin && other.mellin->same_as(*part.mellin)) {
                    ++other.copies;
                    known = true;
                    break;
                }
            if (known) continue;
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

std::string describe(const std::vector<Part>& parts) {
    std::string text;
    for (const auto method : {RiskMethod::mellin, RiskMethod::radial, RiskMethod::lattice, RiskMethod::sobol})
        for (const auto& part : parts)
            if (part.method == method) {
                text += (text.empty() ? "" : " + ") + std::string(name(method));
                break;
            }
    return text;
}

using PointMaker = std::function<PointLaw(const Part&)>;

// The risk when every part that is not closed has its points made by `make`.
RaceRisk risk_of(const std::vector<Part>& parts, std::int64_t tokens, double tolerance, const PointMaker& make) {
    std::vector<PointLaw> points;
    for (const auto& part : parts)
        if (!part.mellin) points.push_back(make(part));
    const RaceLaw null_law = [&](const RaceGrid& lattice) {
        std::optional<RaceTransform> total;
        const auto include = [&](const RaceTransform& t) { total = total ? sum(*total, t) : t; };
        std::size_t next = 0;
        for (const auto& part : parts)
            include(part.mellin ? sum_of_copies(part.mellin->transform(lattice), part.copies)
                                : points[next++].transform(lattice));
        return *total;
    };
    return race_risk(null_law, tokens, tolerance);
}

bool uses(const std::vector<Part>& parts, RiskMethod method) {
    return std::any_of(parts.begin(), parts.end(), [&](const Part& p) { return p.method == method; });
}

// Points at refinement level `level`, or the given Sobol replicate.
PointMaker maker(int level, double tail, std::int64_t samples, std::uint64_t seed, std::uint64_t replicate) {
    return [=](const Part& part) {
        const auto& [weight, prior] = part.group;
        if (part.method == RiskMethod::radial) return radial_points(prior, weight, level);
        if (part.method == RiskMethod::lattice) return tensor_points(prior, weight, level, tail);
        return sobol_points(prior, weight, samples, seed, replicate);
    };
}

Estimate widened(const Estimate& fine, const Estimate& coarse) {
    return {fine.value, fine.error + std::abs(fine.value - coarse.value)};
}

RiskEstimate by_refinement(const std::vector<Part>& parts, std::int64_t tokens, double tolerance, double tail) {
    const auto at = [&](int level) { return risk_of(parts, tokens, tolerance, maker(level, tail, 0, 0, 0)); };
    RaceRisk coarse = at(0);
    for (int level = 1; level <= most_levels; ++level) {
        const RaceRisk fine = at(level);
        // Convergence is geometric: the last change exceeds the error that is left.
        RiskEstimate result{widened(fine.missed, coarse.missed), widened(fine.squared, coarse.squared),
                            describe(parts)};
        if (result.risk.error <= tolerance) return result;
        coarse = fine;
    }
    throw Unfinished(fmt::format("Bayes risk: tolerance {} not reached by {}", tolerance, describe(parts)));
}

// Value from all replicates' points together, error from their spread; the plug-in bias, of second
// order, is estimated by comparing the two and added.
RiskEstimate by_replicates(const std::vector<Part>& parts, std::int64_t tokens, const RiskOptions& options,
                           double tail) {
    const std::int64_t each = std::max<std::int64_t>(64, options.samples / replicates);
    std::vector<RaceRisk> single(replicates);
    std::vector<std::vector<PointLaw>> laws(replicates);
    tbb::parallel_for(0, replicates, [&](int r) {
        const auto i = static_cast<std::size_t>(r);
        const auto make = maker(2, tail, each, options.seed, static_cast<std::uint64_t>(r));
        for (const auto& part : parts)
            if (!part.mellin) laws[i].push_back(make(part));
        std::size_t next = 0;
        single[i] = risk_of(parts, tokens, options.tolerance, [&](const Part&) { return laws[i][next++]; });
    });
    std::vector<PointLaw> pooled = laws.front();
    for (std::size_t i = 0; i < pooled.size(); ++i) {
        for (std::size_t r = 1; r < replicates; ++r) pooled[i] += laws[r][i];
        pooled[i] *= 1.0 / replicates;
    }
    std::size_t next = 0;
    const RaceRisk all = risk_of(parts, tokens, options.tolerance, [&](const Part&) { return pooled[next++]; });
    const auto estimate = [&](Estimate RaceRisk::*form) {
        double mean = 0, spread = 0;
        for (const auto& s : single) mean += (s.*form).value / replicates;
        for (const auto& s : single) spread += std::pow((s.*form).value - mean, 2) / (replicates - 1);
        const double bias = std::abs(mean - (all.*form).value) / (replicates - 1);
        // Student's t with 15 degrees of freedom reaches at 5.6 what the normal law reaches at 4.
        return Estimate{(all.*form).value, 1.4 * std::sqrt(spread / replicates) + bias + (all.*form).error,
                        ErrorKind::standard};
    };
    return {estimate(&RaceRisk::missed), estimate(&RaceRisk::squared), describe(parts)};
}

}  // namespace

std::string_view name(RiskMethod method) {
    constexpr std::array<std::string_view, all_methods.size()> names{"auto",    "mellin", "radial",
                                                                     "lattice", "sobol",  "monte-carlo"};
    return names[static_cast<std::size_t>(method)];
}

RiskMethod risk_method_from_name(std::string_view text) {
    for (const auto method : all_methods)
        if (name(method) == text) return method;
    throw InvalidInput("method", std::string(text), "auto, mellin, radial, lattice, sobol or monte-carlo");
}

RiskEstimate bayes_risk(const Prior& prior, std::int64_t tokens, const RiskOptions& options) {
    if (tokens < 2) throw InvalidInput("model.tokens", fmt::format("{}", tokens), "at least 2");
    if (!(options.tolerance > 0)) throw InvalidInput("tolerance", fmt::format("{}", options.tolerance), "a number > 0");
    if (options.samples < 1) throw InvalidInput("samples", fmt::format("{}", options.samples), "at least 1");
    if (options.method == RiskMethod::monte_carlo)
        return bayes_risk_monte_carlo(prior, tokens, options.samples, options.seed);
    const double tail = 1e-3 * options.tolerance;
    std::vector<Part> parts = parts_of(prior, options.method, tail);
    if (uses(parts, RiskMethod::sobol)) return by_replicates(parts, tokens, options, tail);
    if (uses(parts, RiskMethod::lattice) || uses(parts, RiskMethod::radial)) {
        try {
            return by_refinement(parts, tokens, options.tolerance, tail);
        } catch (const Unfinished&) {
            if (options.method != RiskMethod::automatic) throw;
        }
        for (auto& part : parts)
            if (!part.mellin) part.method = RiskMethod::sobol;
        return by_replicates(parts, tokens, options, tail);
    }
    const RaceRisk risk = risk_of(parts, tokens, options.tolerance, {});
    return {risk.missed, risk.squared, describe(parts)};
}

}  // namespace lemmata
