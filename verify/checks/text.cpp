// Sentences of the running text that name a number.
#include "checks/checks.hpp"
#include "checks/exact_engine.hpp"
#include "checks/remembered.hpp"

#include <lemmata/events.hpp>
#include <lemmata/flow.hpp>
#include <lemmata/verify/statement.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace lemmata::verify::checks {
namespace {

// Starting times of the two phases in Fig. 1's setting, over random starts; computed once for both
// claims, since a flow serves both.
struct PhaseTimes {
    std::vector<double> unspecialized, specialized;  // sorted; never: infinity
    double relative_error = 0;                       // what the first start's change at 100 times the tolerance
};

PhaseTimes phase_times(const Context& context) {
    const Problem problem{Activation::softmax, 10, Prior::flipping_spike(2, 2)};
    const int starts = context.tier == Tier::quick ? 12 : 60;
    const double never = std::numeric_limits<double>::infinity();
    const auto measure = [&](int i, double tolerance) {
        FlowOptions options;
        options.until = 120;
        options.tolerance = tolerance;
        const State start = random_state(2, 2, 1, 0.01, 1000 * context.seed + static_cast<std::uint64_t>(i));
        const Events events =
            find_events(flow(exact_engine(problem, tolerance / 100), start, options).path, problem.prior.mean());
        return std::pair{events.tau_u_start.value_or(never), events.tau_s_start.value_or(never)};
    };
    constexpr double tolerance = 1e-6;
    PhaseTimes times;
    for (int i = 0; i < starts; ++i) {
        context.poll();
        const auto [unspecialized, specialized] = measure(i, tolerance);
        times.unspecialized.push_back(unspecialized);
        times.specialized.push_back(specialized);
    }
    const auto [unspecialized, specialized] = measure(0, 100 * tolerance);
    times.relative_error = std::max(std::abs(unspecialized / times.unspecialized.front() - 1),
                                    std::abs(specialized / times.specialized.front() - 1));
    std::sort(times.unspecialized.begin(), times.unspecialized.end());
    std::sort(times.specialized.begin(), times.specialized.end());
    return times;
}

Estimate relative(double value, double relative_error) {
    return {value, std::abs(value) * relative_error};
}

}  // namespace

std::vector<Check> text() {
    const auto times = remembered<PhaseTimes>(phase_times);
    return {
        {"text/fig-1-tau-u",
         {"flow"},
         [times](const Claim&, const Context& context) {
             return std::vector{
                 about("time at which the alignment reaches 0.1", 1, times(context).unspecialized, context.seed)};
         }},
        {"text/fig-1-tau-s",
         {"flow"},
         [times](const Claim&, const Context& context) {
             return std::vector{
                 about("time at which the heads' distance reaches 0.1", 10, times(context).specialized, context.seed)};
         }},
        {"text/phases-in-order",
         {"flow"},
         [times](const Claim&, const Context& context) {
             const auto& t = times(context);
             return std::vector{at_least(
                 Form::printed, "flow",
                 fmt::format("smallest time at which heads part over the largest at which they align, {} "
                             "starts",
                             t.specialized.size()),
                 1, relative(t.specialized.front() / t.unspecialized.back(), 2 * t.relative_error), context.seed)};
         }},
        {"text/large-mean",
         {"flow"},
         [times](const Claim&, const Context& context) {
             const auto& t = times(context);
             return std::vector{at_most(
                 Form::printed, "flow",
                 fmt::format("largest time at which the heads' distance reaches 0.1, {} starts", t.specialized.size()),
                 120, relative(t.specialized.back(), t.relative_error), context.seed)};
         }},
        {"text/tau-s-varies", {"flow"}, [times](const Claim&, const Context& context) {
             const auto& t = times(context);
             const auto ratio = [](const std::vector<double>& sorted) { return sorted.back() / sorted.front(); };
             return std::vector{
                 our_reading(at_least(Form::printed, "flow",
                                      fmt::format("largest over smallest tau_s of {} starts", t.specialized.size()),
                                      1.5, relative(ratio(t.specialized), 2 * t.relative_error), context.seed)),
                 our_reading(at_most(Form::printed, "flow", "the same of tau_u", 2,
                                     relative(ratio(t.unspecialized), 2 * t.relative_error), context.seed))};
         }}};
}

}  // namespace lemmata::verify::checks
