#include <lemmata/bayes_risk_certified.hpp>
#include <lemmata/certified_race.hpp>
#include <lemmata/error.hpp>
#include <lemmata/exact_input.hpp>
#include <lemmata/mellin_race.hpp>

#include <algorithm>
#include <cmath>

namespace lemmata {
namespace {

// lost and first at u; nothing else is needed.
using Law = std::function<RaceValues(const Ball& u)>;

// All atoms in one lattice: the rate is w(x) = sum_k pi_k e^{theta_k.x - |theta_k|^2/2}.
Law atoms_together(const Prior& prior, const RaceGoal& goal) {
    const std::vector<Ball> weights = exact_weights(prior);
    std::vector<AffineScore> scores;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        AffineScore score{log(weights[k]), {}};
        for (Eigen::Index f = 0; f < prior.features(); ++f) {
            score.slopes.push_back(exact_mean(prior, k, f));
            score.shift -= score.slopes.back() * score.slopes.back() / Ball(2);
        }
        scores.push_back(std::move(score));
    }
    return [law = rate_law(scores, goal)](const Ball& u) { return race_values(law, exp(u)); };
}

// Each atom along an axis of its own: independent rates pi_k e^{|theta_k| z - |theta_k|^2/2}, equal ones taken
// together.
struct Spike {
    Eigen::Index axis;
    double key;  // equal for atoms of equal length
};
std::vector<Spike> separate_spikes(const Prior& prior) {
    std::vector<Spike> spikes;
    for (std::size_t k = 0; k < prior.components().size(); ++k) {
        const Eigen::VectorXd& entries =
            prior.signed_squares().empty() ? prior.components()[k].mean : prior.signed_squares()[k];
        Eigen::Index axis = 0;
        entries.cwiseAbs().maxCoeff(&axis);
        const bool alone = (entries.array() != 0).count() <= 1;
        const bool taken = std::any_of(spikes.begin(), spikes.end(), [&](const Spike& s) {
            return s.axis == axis && s.key != 0 && entries[axis] != 0;
        });
        if (!alone || taken) return {};
        spikes.push_back({axis, entries[axis]});
    }
    return spikes;
}

Law atoms_apart(const Prior& prior, const std::vector<Spike>& spikes, const RaceGoal& goal) {
    struct Group {
        double key, weight;
        RateLaw law;
        std::int64_t members;
    };
    const std::vector<Ball> weights = exact_weights(prior);
    std::vector<Group> groups;
    for (std::size_t k = 0; k < spikes.size(); ++k) {
        const double weight = prior.components()[k].weight;
        const auto same = std::find_if(groups.begin(), groups.end(),
                                       [&](const Group& g) { return g.key == spikes[k].key && g.weight == weight; });
        if (same != groups.end()) {
            ++same->members;
            continue;
        }
        const Ball length = exact_mean(prior, k, spikes[k].axis);
        const AffineScore score{log(weights[k]) - length * length / Ball(2), {length}};
        groups.push_back({spikes[k].key, weight, rate_law({score}, goal), 1});
    }
    return [groups = std::move(groups)](const Ball& u) -> RaceValues {
        const Ball time = exp(u);
        std::vector<RaceValues> values;
        for (const Group& group : groups) values.push_back(race_values(group.law, time));
        // 1 - prod phi_k and sum_k first_k prod_{j != k} phi_j.
        const auto survivors = [&](std::size_t without) {
            Ball running(1);
            for (std::size_t g = 0; g < groups.size(); ++g)
                running *= survival_power(values[g].lost, groups[g].members - (g == without ? 1 : 0));
            return running;
        };
        RaceValues all{Ball(0), Ball(0), Ball(0)};
        Ball running(1);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            all.first += Ball(groups[g].members) * values[g].first * survivors(g);
            // 1 - a b = (1 - a) + a (1 - b), member by member: relative digits of small losses are kept.
            for (std::int64_t i = 0; i < groups[g].members; ++i) {
                all.lost += running * values[g].lost;
                running *= survival_power(values[g].lost, 1);
            }
        }
        return all;
    };
}

Law gaussian(const Prior& prior, const RaceGoal& goal) {
    std::vector<Ball> variances;
    for (const double variance : prior.components().front().covariance.diagonal()) variances.emplace_back(variance);
    return [race = MellinRace(variances, goal)](const Ball& u) { return race.at(u); };
}

enum class Family { together, apart, gaussian };
Family family_of(const Prior& prior) {
    if (prior.discrete()) {
        if (!separate_spikes(prior).empty()) return Family::apart;
        if (prior.features() <= 2) return Family::together;
        throw InvalidInput("prior", "atoms in " + std::to_string(prior.features()) + " features",
                           "at most 2 features, or each atom along an axis of its own, for certified digits");
    }
    const Component& c = prior.components().front();
    if (prior.components().size() > 1 || !c.mean.isZero(0) || !c.covariance.isDiagonal(0))
        throw InvalidInput("prior", "a Gaussian mixture",
                           "atoms, or one centred Gaussian of diagonal covariance, for certified digits");
    return Family::gaussian;
}

Law law_of(const Prior& prior, const RaceGoal& goal) {
    switch (family_of(prior)) {
        case Family::together:
            return atoms_together(prior, goal);
        case Family::apart:
            return atoms_apart(prior, separate_spikes(prior), goal);
        default:
            return gaussian(prior, goal);
    }
}

// (L-1) int first^2 e^-u phi^{L-2} du. Theorem 4 for its ends: E W = 1.
Ball risk(const Prior& prior, const RaceGoal& goal) {
    const Law law = law_of(prior, goal);
    const TimeRule rule = time_rule(goal);
    const std::int64_t L = goal.tokens;
    const Ball others(L - 1), small = exp(Ball(-goal.exponent));
    const auto first = static_cast<std::int64_t>(std::floor(-(goal.with_tokens() + 1) / rule.spacing));
    const Ball left = others * exp(rule.at(first));
    Ball sum(0), right(1);
    for (std::int64_t j = first;; ++j) {
        const Ball u = rule.at(j);
        const RaceValues values = law(u);
        const Ball density = values.first * exp(-u);  // E W e^{-sW}
        sum += others * values.first * density * survival_power(values.lost, L - 2);
        right = Ball(2) * density * survival_power(values.lost, L - 1);
        if (right.upper().below(small)) break;
        if (j - first > 100'000) throw Unfinished("certified: the prior is too strong");
    }
    return integral_from_sum(raised(Ball(rule.spacing) * sum, left + right), rule.error);
}

}  // namespace

bool certified_available() {
    return true;
}

Enclosure bayes_risk_certified(const Prior& prior, std::int64_t tokens, int digits) {
    validate_certified_tokens(tokens);
    family_of(prior);
    return enclose(digits, tokens, [&](const RaceGoal& goal) { return risk(prior, goal); });
}

}  // namespace lemmata
