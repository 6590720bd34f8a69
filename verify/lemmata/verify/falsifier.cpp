#include <lemmata/error.hpp>
#include <lemmata/verify/falsifier.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <limits>

namespace lemmata::verify {
namespace {

struct Scored {
    ModelCase drawn;  // before it was brought under the hypotheses: what is moved and simplified
    ModelCase c;
    Violation violation;
};

double score(const Violation& v) {
    return v.amount / std::max(v.error, 1e-12 * v.scale);
}

bool violated(const Violation& v, double notice) {
    return v.amount > v.error && v.amount > notice * v.scale;
}

class Hunter {
public:
    Hunter(const Hunt& hunt, const Context& context) : hunt_(hunt), context_(context) {}

    // The case under the hypotheses, with its violation, if it can be had.
    std::optional<Scored> evaluate(const ModelCase& drawn) {
        context_.poll();
        const auto c = hunt_.conform(drawn);
        if (!c) return std::nullopt;
        try {
            return Scored{drawn, *c, hunt_.violation(*c)};
        } catch (const Unfinished&) {
            ++unfinished_;
        } catch (const InvalidInput&) {
            ++unfinished_;  // a simplification may have left what the engine accepts
        }
        return std::nullopt;
    }

    Scored simplify(Scored found) {
        for (bool progress = true; progress;) {
            progress = false;
            for (const auto& simpler : simpler_cases(found.drawn)) {
                if (!(complexity(simpler) < complexity(found.drawn))) continue;
                const auto tried = evaluate(simpler);
                if (!tried || !violated(tried->violation, hunt_.notice)) continue;
                found = *tried;
                progress = true;
                break;
            }
        }
        return found;
    }

    [[nodiscard]] int unfinished() const { return unfinished_; }

private:
    const Hunt& hunt_;
    const Context& context_;
    int unfinished_ = 0;
};

}  // namespace

HuntResult hunt(const Hunt& hunt, const Context& context) {
    Hunter hunter(hunt, context);
    HuntResult result;
    std::optional<Scored> worst;
    const auto consider = [&](const std::optional<Scored>& tried) {
        if (!tried) return;
        ++result.satisfied;
        result.decisive += tried->violation.error <= 0.01 * tried->violation.scale ? 1 : 0;
        if (!worst || score(tried->violation) > score(worst->violation)) worst = tried;
    };
    const auto found = [&] { return worst && violated(worst->violation, hunt.notice); };
    for (int i = 0; i < hunt.draws && !found(); ++i)
        consider(hunter.evaluate(draw_case(context.seed, static_cast<std::uint64_t>(i))));
    for (int i = 0; i < hunt.climbs && worst && !found(); ++i) {
        const double step = i % 3 == 0 ? 1 : (i % 3 == 1 ? 0.3 : 0.05);
        const auto index = static_cast<std::uint64_t>(hunt.draws + i);
        consider(hunter.evaluate(nearby_case(worst->drawn, step, context.seed, index)));
    }
    if (worst) {
        result.worst = worst->c;
        result.worst_violation = worst->violation;
    }
    if (found()) {
        const Scored simple = hunter.simplify(*worst);
        result.counterexample = simple.c;
        result.counterexample_violation = simple.violation;
    }
    result.unfinished = hunter.unfinished();
    return result;
}

Evidence attack(Form form, const std::string& quantity, const Hunt& settings, const Context& context) {
    const HuntResult result = hunt(settings, context);
    Evidence e;
    e.form = form;
    e.method = "counterexample search";
    e.seed = context.seed;
    e.expected = 0.0;
    if (result.counterexample) {
        e.quantity = fmt::format("{} at {}", quantity, describe(*result.counterexample));
        e.measured = result.counterexample_violation.amount;
        e.error = e.tolerance = result.counterexample_violation.error;
        e.outcome = Outcome::violated;
        return e;
    }
    e.quantity = fmt::format("{}: largest of {} cases, {} of them decisive, {} not evaluated", quantity,
                             result.satisfied, result.decisive, result.unfinished);
    if (result.satisfied == 0 && result.unfinished == 0) {
        e.measured = "no case satisfies the hypotheses";
        e.outcome = Outcome::vacuous;
        return e;
    }
    if (result.worst) {
        e.measured = result.worst_violation.amount;
        e.error = result.worst_violation.error;
        e.tolerance = std::max(e.error, settings.notice * result.worst_violation.scale);
    }
    if (result.decisive >= 20 && 2 * result.decisive >= result.satisfied) e.outcome = Outcome::holds;
    return e;
}

}  // namespace lemmata::verify
