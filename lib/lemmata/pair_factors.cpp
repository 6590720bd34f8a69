#include <lemmata/pair_factors.hpp>
#include <lemmata/race.hpp>

#include <algorithm>
#include <cmath>

namespace lemmata {

double correlation(const PairLaw& law) {
    const double product = std::sqrt(std::max(law.first.variance, 0.0)) * std::sqrt(std::max(law.second.variance, 0.0));
    return product > 0 ? std::clamp(law.covariance / product, -1.0, 1.0) : 0;
}

SplitLaw split_law(const PairLaw& law) {
    const double s1 = std::sqrt(std::max(law.first.variance, 0.0)), s2 = std::sqrt(std::max(law.second.variance, 0.0));
    const double rho = correlation(law), shared = std::sqrt(std::abs(rho)), own = std::sqrt(1 - std::abs(rho));
    return {s1 * shared, rho < 0 ? -s2 * shared : s2 * shared, s1 * own, s2 * own};
}

namespace {

// The nodes of z at which a head's race functions vary along its lattice. Those before and after are constant:
// `sure` of them (1), or not at all (0).
struct LiveNodes {
    Eigen::Index begin, end;
    bool sure_before, sure_after;
    [[nodiscard]] Eigen::Index count() const { return end - begin; }
    [[nodiscard]] bool sure(Eigen::Index k) const { return (sure_before && k < begin) || (sure_after && k >= end); }
};
LiveNodes live_nodes(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, double own, double tail) {
    const RaceSupport support = race_support(own, tail);
    const double low = support.low - points[points.size() - 1], high = support.high - points[0];
    const auto live = [&](Eigen::Index k) { return shifts[k] > low && shifts[k] < high; };
    LiveNodes nodes{0, shifts.size(), false, false};
    while (nodes.begin < nodes.end && !live(nodes.begin)) ++nodes.begin;
    while (nodes.begin < nodes.end && !live(nodes.end - 1)) --nodes.end;
    nodes.sure_before = shifts[0] >= high;
    nodes.sure_after = shifts[shifts.size() - 1] >= high;
    return nodes;
}

}  // namespace

void PairFactors::expand(double correlation, int terms, const RaceExpansion& first, const RaceExpansion& second) {
    weights.resize(terms);
    weights[0] = 1;
    for (Eigen::Index k = 1; k < terms; ++k) weights[k] = weights[k - 1] * correlation;
    first_ = first.values.data();
    second_ = second.values.data();
    first_mean = first.values.col(0);
    second_mean = second.values.col(0);
}

void PairFactors::split(const PairLaw& law, const TimeLattice& u1, const TimeLattice& u2, int derivatives,
                        double accuracy, double tail) {
    const SplitLaw parts = split_law(law);
    const QuadratureRule z =
        smoothing_rule(parts.shared1, parts.own1, std::abs(parts.shared2), parts.own2, accuracy, tail);
    // Each head is evaluated where it is live; only nodes where both are need a column each. Where one head has
    // finished for sure, the other's average is enough.
    const Eigen::ArrayXd points1 = u1.nodes + law.first.mean, points2 = u2.nodes + law.second.mean;
    const Eigen::ArrayXd shifts1 = parts.shared1 * z.nodes.array(), shifts2 = parts.shared2 * z.nodes.array();
    const LiveNodes live1 = live_nodes(points1, shifts1, parts.own1, tail);
    const LiveNodes live2 = live_nodes(points2, shifts2, parts.own2, tail);
    const auto evaluate = [&](const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, double own,
                              const LiveNodes& live, ScratchMatrix& memory) {
        auto values = memory.resized(derivatives * points.size(), live.count());
        if (live.count() > 0)
            smoothed_race(points, shifts.segment(live.begin, live.count()), own, accuracy, tail, derivatives, values);
        return values;
    };
    const auto values1 = evaluate(points1, shifts1, parts.own1, live1, live_first_);
    const auto values2 = evaluate(points2, shifts2, parts.own2, live2, live_second_);
    const Eigen::Index n1 = points1.size(), n2 = points2.size();
    // The average of `values` over those nodes that `chosen` admits.
    const auto average = [&](const ScratchMatrix::View& values, const LiveNodes& live, Eigen::Index n,
                             const auto& chosen) {
        Eigen::VectorXd chosen_weights(z.weights.size());
        double sure = 0;
        for (Eigen::Index k = 0; k < chosen_weights.size(); ++k) {
            chosen_weights[k] = chosen(k) ? z.weights[k] : 0;
            if (live.sure(k)) sure += chosen_weights[k];
        }
        Eigen::VectorXd mean = values * chosen_weights.segment(live.begin, live.count());
        mean.head(n).array() += sure;
        return mean;
    };
    first_mean = average(values1, live1, n1, [](Eigen::Index) { return true; });
    second_mean = average(values2, live2, n2, [](Eigen::Index) { return true; });

    // Towards the ends of the range one head, or both, has hardly started, and their product is as good as 0.
    Eigen::Index begin = std::max(live1.begin, live2.begin), end = std::min(live1.end, live2.end);
    const auto negligible = [&](Eigen::Index k) {
        return z.weights[k] * values1(n1 - 1, k - live1.begin) * values2(n2 - 1, k - live2.begin) < 1e-3 * tail;
    };
    while (begin < end && negligible(begin)) ++begin;
    while (begin < end && negligible(end - 1)) --end;
    const Eigen::Index joint = std::max<Eigen::Index>(end - begin, 0);
    weights.setOnes(joint + 2);
    auto columns1 = own_first_.resized(derivatives * n1, joint + 2);
    auto columns2 = own_second_.resized(derivatives * n2, joint + 2);
    columns1.rightCols(2).setZero();
    columns2.rightCols(2).setZero();
    if (joint > 0) {
        weights.head(joint) = z.weights.segment(begin, joint);
        columns1.leftCols(joint) = values1.middleCols(begin - live1.begin, joint);
        columns2.leftCols(joint) = values2.middleCols(begin - live2.begin, joint);
    }
    columns1.col(joint).head(n1).setOnes();
    columns2.col(joint) = average(values2, live2, n2, [&](Eigen::Index k) { return live1.sure(k); });
    columns2.col(joint + 1).head(n2).setOnes();
    columns1.col(joint + 1) =
        average(values1, live1, n1, [&](Eigen::Index k) { return live2.sure(k) && !live1.sure(k); });
    first_ = columns1.data();
    second_ = columns2.data();
}

}  // namespace lemmata
