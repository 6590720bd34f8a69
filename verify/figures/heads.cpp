#include "figures/heads.hpp"

#include <lemmata/events.hpp>
#include <lemmata/head_groups.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lemmata::verify::figures {

namespace {

// Overlaps relative to the largest one of their feature; 0 for a feature that no head has learnt.
Eigen::MatrixXd by_feature(const Eigen::MatrixXd& m) {
    Eigen::MatrixXd relative = Eigen::MatrixXd::Zero(m.rows(), m.cols());
    for (Eigen::Index f = 0; f < m.cols(); ++f) {
        const double largest = m.col(f).cwiseAbs().maxCoeff();
        if (largest >= event_threshold) relative.col(f) = m.col(f) / largest;
    }
    return relative;
}

}  // namespace

Heads census(const std::vector<Path>& paths, const Prior& prior) {
    Heads heads;
    const int features = prior.features();
    for (const Path& path : paths) {
        ++heads.runs;
        heads.settled += path.knots.back().slope.cwiseAbs().maxCoeff() <= 1e-8;
        const Eigen::MatrixXd m = last_state(path).m;
        const Events events = find_events(path, prior.mean());
        const auto even = [&](const Eigen::MatrixXd& x, int f) { return imbalance(x, f) <= path.heads % 2; };
        bool all_even = true;
        for (int f = 0; f < features; ++f) all_even &= even(m, f);
        heads.even += all_even;
        heads.patterns.push_back(sign_patterns(by_feature(m), 0.1));
        heads.all_patterns += heads.patterns.back() == 1 << features;
        heads.groups.push_back(group_count(head_groups(m, 0.1 * m.cwiseAbs().maxCoeff())));
        heads.excursions += !events.excursions.empty();
        if (events.learning[0] && !even(interpolate(path, *events.learning[0]).m, 0)) {
            ++heads.uneven_first;
            heads.mended += even(m, 0);
        }
        for (std::size_t f = 0; f + 1 < events.learning.size(); ++f) {
            const auto before = events.learning[f], after = events.learning[f + 1];
            if (!before && !after) continue;  // says nothing about their order
            // A feature that is not learnt by the end is later than that.
            const double ratio = after.value_or(path.end()) / before.value_or(path.end());
            heads.time_ratios.push_back(ratio);
            heads.later_ratios.push_back(ratio >= 1 ? ratio : 1 / ratio);
        }
    }
    return heads;
}

Evidence Heads::most(const std::string& quantity, int successes, std::uint64_t seed) const {
    const Evidence e = share_at_least(
        settled == runs ? quantity : fmt::format("{} ({} of {} runs had come to rest)", quantity, settled, runs),
        successes, runs, 0.5, seed);
    return settled == runs ? e : our_reading(e);
}

double ratio_error(const Path& path, const Path& coarse, const Prior& prior) {
    const auto fine = census({path}, prior).time_ratios, rough = census({coarse}, prior).time_ratios;
    if (fine.size() != rough.size()) return 1;
    double largest = 0;
    for (std::size_t f = 0; f < fine.size(); ++f) largest = std::max(largest, std::abs(rough[f] / fine[f] - 1));
    return largest;
}

Json Heads::observed() const {
    return {{"runs", runs},     {"at rest", settled},
            {"even", even},     {"sign patterns", patterns},
            {"groups", groups}, {"runs with an excursion", excursions}};
}

Evidence Heads::in_order(const std::string& where, double error, std::uint64_t seed) const {
    if (time_ratios.empty()) {
        Evidence none;
        none.quantity = fmt::format("no feature is learnt in any of {} runs, {}", runs, where);
        none.outcome = Outcome::vacuous;
        return none;
    }
    const auto [least, most] = std::minmax_element(time_ratios.begin(), time_ratios.end());
    Evidence e =
        at_least(Form::printed, "flow",
                 fmt::format("learning time of a feature over that of the stronger one before it, smallest of {} "
                             "runs (largest {:.3g}), {}",
                             runs, *most, where),
                 1, {*least, *least * error}, seed);
    if (e.outcome == Outcome::violated && *most > 1) e.outcome = Outcome::undecided;
    return e;
}

}  // namespace lemmata::verify::figures
