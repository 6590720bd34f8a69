// Sentences of the running text that name a number.
#include "checks/checks.hpp"
#include "checks/remembered.hpp"

#include <lemmata/events.hpp>
#include <lemmata/flow.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/verify/statement.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <limits>

namespace lemmata::verify::checks {
namespace {

// Starting times of the two phases in Fig. 1's setting, over random starts; computed once for both
// claims, since a flow serves both.
struct PhaseTimes {
    std::vector<double> unspecialized, specialized;  // sorted; never: infinity
};

PhaseTimes phase_times(const Context& context) {
    const Problem problem{Activation::softmax, 10, Prior::flipping_spike(2, 2)};
    FlowOptions options;
    options.until = 120;
    const int starts = context.tier == Tier::quick ? 12 : 60;
    PhaseTimes times;
    for (int i = 0; i < starts; ++i) {
        context.poll();
        const State start = random_state(2, 2, 1, 0.01, 1000 * context.seed + static_cast<std::uint64_t>(i));
        const FlowResult result = flow(
            [&](const State& s) {
                return loss_exact(problem, s, {1e-9, true});
            },
            start, options);
        const Events events = find_events(result.path, problem.prior.mean());
        const double never = std::numeric_limits<double>::infinity();
        times.unspecialized.push_back(events.tau_u_start.value_or(never));
        times.specialized.push_back(events.tau_s_start.value_or(never));
    }
    std::sort(times.unspecialized.begin(), times.unspecialized.end());
    std::sort(times.specialized.begin(), times.specialized.end());
    return times;
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
             return std::vector{
                 at_least(Form::printed, "flow",
                          fmt::format("smallest time at which heads part over the largest at which they align, {} "
                                      "starts",
                                      t.specialized.size()),
                          1, {t.specialized.front() / t.unspecialized.back(), 1e-3}, context.seed)};
         }},
        {"text/large-mean",
         {"flow"},
         [times](const Claim&, const Context& context) {
             const auto& t = times(context);
             return std::vector{at_most(
                 Form::printed, "flow",
                 fmt::format("largest time at which the heads' distance reaches 0.1, {} starts", t.specialized.size()),
                 120, {t.specialized.back(), 1e-2}, context.seed)};
         }},
        {"text/tau-s-varies", {"flow"}, [times](const Claim&, const Context& context) {
             const auto& t = times(context);
             const auto ratio = [](const std::vector<double>& sorted) { return sorted.back() / sorted.front(); };
             return std::vector{
                 our_reading(at_least(Form::printed, "flow",
                                      fmt::format("largest over smallest tau_s of {} starts", t.specialized.size()),
                                      1.5, {ratio(t.specialized), 1e-3}, context.seed)),
                 our_reading(at_most(Form::printed, "flow", "the same of tau_u", 2, {ratio(t.unspecialized), 1e-3},
                                     context.seed))};
         }}};
}

}  // namespace lemmata::verify::checks
