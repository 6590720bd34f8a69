#include <lemmata/verify/statement.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

namespace lemmata::verify {
namespace {

using Binomial = boost::math::binomial_distribution<>;

Json value(const Evidence::Value& v) {
    return std::visit([](const auto& x) { return Json(x); }, v);
}

}  // namespace

Verdict verdict(const Statement& statement) {
    return judge({statement.evidence}, statement.evidence.form);
}

Json to_json(const Statement& statement) {
    const Evidence& e = statement.evidence;
    return {{"text", statement.text},        {"quantity", e.quantity},
            {"expected", value(e.expected)}, {"measured", value(e.measured)},
            {"uncertainty", e.error},        {"verdict", std::string(name(verdict(statement)))}};
}

Evidence share_at_least(const std::string& quantity, int successes, int trials, double bound, std::uint64_t seed) {
    const double low = Binomial::find_lower_bound_on_p(trials, successes, 0.005),
                 high = Binomial::find_upper_bound_on_p(trials, successes, 0.005),
                 share = static_cast<double>(successes) / trials;
    Evidence e;
    e.method = "flow";
    e.quantity = fmt::format("{}: {} of {}, 99% interval {:.2f} to {:.2f}", quantity, successes, trials, low, high);
    e.expected = fmt::format(">= {:.6g}", bound);
    e.measured = share;
    e.error = e.tolerance = std::max(high - share, share - low);
    e.seed = seed;
    if (low >= bound) e.outcome = Outcome::holds;
    if (high < bound) e.outcome = Outcome::violated;
    return e;
}

Evidence about(const std::string& quantity, double claimed, std::vector<double> sorted, std::uint64_t seed) {
    if (sorted.empty()) {
        Evidence none;
        none.quantity = quantity + ": in no start";
        none.expected = claimed;
        none.outcome = Outcome::vacuous;
        none.seed = seed;
        return none;
    }
    std::sort(sorted.begin(), sorted.end());
    // The median lies between the order statistics k and n + 1 - k with probability
    // 1 - 2 P(Bin(n, 1/2) < k); k is the largest with 99%, or 1 if there is none.
    const auto n = sorted.size();
    const Binomial coin(static_cast<double>(n), 0.5);
    std::size_t k = 1;
    while (k < n / 2 && cdf(coin, static_cast<double>(k)) < 0.005) ++k;
    const bool enough = cdf(coin, 0.0) < 0.005;
    const double low = sorted[k - 1], high = sorted[n - k], median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    Evidence e;
    e.method = "flow";
    e.quantity = fmt::format("{}: median of {} starts, {}all from {:.3g} to {:.3g}", quantity, n,
                             enough ? fmt::format("99% interval {:.3g} to {:.3g}, ", low, high) : "", sorted.front(),
                             sorted.back());
    e.expected = claimed;
    e.measured = median;
    e.error = std::max(high - median, median - low);
    e.tolerance = claimed;
    if (enough && low >= claimed / 2 && high <= claimed * 2) e.outcome = Outcome::holds;
    if (sorted.back() < claimed / 2 || sorted.front() > claimed * 2) e.outcome = Outcome::violated;
    e.seed = seed;
    return e;
}

}  // namespace lemmata::verify
