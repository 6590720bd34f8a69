// Sentences about what the heads learn, and when: Secs. III.1 and III.2, App. C.2. Flows of the exact
// loss; where a sentence speaks of runs, over several random starts.
#include "checks/checks.hpp"
#include "checks/exact_engine.hpp"
#include "checks/remembered.hpp"

#include <lemmata/error.hpp>
#include <lemmata/events.hpp>
#include <lemmata/hessian.hpp>
#include <lemmata/polish.hpp>
#include <lemmata/verify/statement.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

namespace lemmata::verify::checks {
namespace {

Path trained(const Problem& problem, const State& start, double until, double tolerance = 1e-5) {
    FlowOptions options;
    options.until = until;
    options.tolerance = tolerance;
    return flow(exact_engine(problem, tolerance / 100), start, options).path;
}

// Time at which the spread over heads of the overlaps with `axis` reaches half of its end; infinite if nothing is
// learnt.
double learning_time(const Path& path, const Eigen::VectorXd& axis) {
    const auto spread_along = [&](const State& s) {
        const Eigen::VectorXd overlaps = s.m * axis;
        return (overlaps.array() - overlaps.mean()).abs().maxCoeff();
    };
    const double end = spread_along(last_state(path));
    if (end < event_threshold) return std::numeric_limits<double>::infinity();
    return *first_time(path, spread_along, end / 2);
}

// Ratios of the learning times along two axes, one for each random start, sorted.
struct Ratios {
    std::vector<double> sorted;
    double relative_error = 0;  // what the first start's changes at ten times the tolerance
    [[nodiscard]] Estimate estimate(double ratio) const { return {ratio, ratio * relative_error}; }
};

Ratios time_ratios(const Problem& problem, const Eigen::VectorXd& first, const Eigen::VectorXd& second, double eta,
                   int starts, double until, const Context& context) {
    const auto measure = [&](int i, double tolerance) {
        const State start = random_state(4, 2, eta, 0.01, 500 * context.seed + static_cast<std::uint64_t>(i));
        const Path path = trained(problem, start, until, tolerance);
        const double early = learning_time(path, first), late = learning_time(path, second);
        if (std::isinf(early) && std::isinf(late)) throw Unfinished("nothing was learnt by the end of the flow");
        return late / early;
    };
    Ratios ratios;
    for (int i = 0; i < starts; ++i) {
        context.poll();
        ratios.sorted.push_back(measure(i, 1e-5));
    }
    // A feature that is never learnt makes a ratio infinite or 0, which has no error.
    if (const double fine = ratios.sorted.front(); std::isfinite(fine) && fine > 0)
        ratios.relative_error = std::abs(measure(0, 1e-4) / fine - 1);
    std::sort(ratios.sorted.begin(), ratios.sorted.end());
    return ratios;
}

int starts(const Context& context) {
    return context.tier == Tier::quick ? 2 : 12;
}

// The second axis is learnt later: in every start it holds, in none it is violated.
Evidence later(const std::string& quantity, const Ratios& ratios, std::uint64_t seed) {
    const double least = ratios.sorted.front(), most = ratios.sorted.back();
    Evidence e =
        at_least(Form::printed, "flow",
                 fmt::format("{}: smallest of {} starts, largest {:.3g}", quantity, ratios.sorted.size(), most), 1,
                 std::isinf(least) ? Estimate{least, 0} : ratios.estimate(least), seed);
    if (e.outcome == Outcome::violated && most > 1) e.outcome = Outcome::undecided;
    return e;
}

std::vector<Evidence> sequential(const Claim&, const Context& context) {
    std::vector<Evidence> evidence;
    for (const Activation activation : {Activation::softmax, Activation::softmax_1}) {
        const Problem problem{activation, 5, Prior::gaussian(Eigen::Vector2d(8, 2))};
        evidence.push_back(
            later(fmt::format("learning time of the feature of variance 2 over that of variance 8, {}, L=5, H=4",
                              name(activation)),
                  time_ratios(problem, Eigen::Vector2d(1, 0), Eigen::Vector2d(0, 1), 1, starts(context), 300, context),
                  context.seed));
    }
    return evidence;
}

// Signs of the overlaps at the end of flows from random starts, softmax and softmax-1 in turn; 0 where a head has not
// learnt a direction. Computed once for the claims about them.
using Signs = std::vector<Eigen::MatrixXd>;

Signs final_signs(const Context& context) {
    Signs signs;
    const int starts = context.tier == Tier::quick ? 4 : 200;
    for (int i = 0; i < starts; ++i) {
        context.poll();
        const Activation activation = i % 2 == 0 ? Activation::softmax : Activation::softmax_1;
        const Problem problem{activation, 5, Prior::gaussian(Eigen::Vector2d(8, 2))};
        const State start = random_state(4, 2, 1, 0.01, 9000 * context.seed + static_cast<std::uint64_t>(i));
        const Eigen::MatrixXd end = last_state(trained(problem, start, 300, 1e-4)).m;
        signs.push_back(end.cwiseSign().cwiseProduct((end.array().abs() > event_threshold).cast<double>().matrix()));
    }
    return signs;
}

// "The heads do so": in more than half of the random starts.
Evidence typical(const std::string& what, const Signs& ends,
                 const std::function<bool(const Eigen::MatrixXd&)>& property, std::uint64_t seed) {
    return share_at_least(
        fmt::format("starts with {} at tau=300, softmax and softmax-1, theta ~ N(0, diag(8, 2)), L=5, H=4", what),
        static_cast<int>(std::count_if(ends.begin(), ends.end(), property)), static_cast<int>(ends.size()), 0.5, seed);
}

bool even(const Eigen::MatrixXd& signs) {
    return signs.cwiseAbs().minCoeff() > 0 && signs.colwise().sum().isZero();
}

bool all_different(const Eigen::MatrixXd& signs) {
    std::set<std::pair<double, double>> patterns;
    for (Eigen::Index h = 0; h < signs.rows(); ++h) patterns.emplace(signs(h, 0), signs(h, 1));
    return signs.cwiseAbs().minCoeff() > 0 && patterns.size() == 4;
}

std::vector<Evidence> equal_strength(const Claim&, const Context& context) {
    const auto ratios = [&](double second) {
        return time_ratios({Activation::softmax, 5, Prior::gaussian(Eigen::Vector2d(8, second))}, Eigen::Vector2d(1, 0),
                           Eigen::Vector2d(0, 1), 0.1, starts(context), 300, context);
    };
    const auto equal = ratios(8), different = ratios(4);
    const auto median = [](const Ratios& all) {
        std::vector<double> r = all.sorted;
        for (double& x : r) x = std::max(x, 1 / x);
        std::sort(r.begin(), r.end());
        return all.estimate(r[r.size() / 2]);
    };
    // The rates themselves: curvatures at m = r = 0 of the two features.
    const HessianEstimate h = hessian({Activation::softmax, 5, Prior::gaussian(Eigen::Vector2d(8, 8))},
                                      state_at(Eigen::MatrixXd::Zero(2, 2)));
    const auto rate = [&](Eigen::Index f) {
        return 2 * h.value(2 * f, 2 * f + 1) - h.value(2 * f, 2 * f) - h.value(2 * f + 1, 2 * f + 1);
    };
    return {
        our_reading(at_most(Form::printed, "flow",
                            "median ratio of the two learning times, later over earlier, variances (8, 8), L=5, H=4", 2,
                            median(equal), context.seed)),
        our_reading(
            at_least(Form::printed, "flow", "the same for variances (8, 4)", 2, median(different), context.seed)),
        compare(Form::printed, "Hessian of the exact loss", "growth rate of one feature against the other", rate(0),
                {rate(1), 8 * h.error.topLeftCorner(4, 4).maxCoeff()}, 0.001 * rate(0))};
}

std::vector<Evidence> pca(const Claim&, const Context& context) {
    Eigen::Matrix2d covariance;
    covariance << 7.2, 1.6, 1.6, 4.8;
    const Problem problem{Activation::softmax, 5, Prior::mixture({{1, Eigen::Vector2d::Zero(), covariance}})};
    const Eigen::Vector2d top = Eigen::Vector2d(2, 1).normalized(), low = Eigen::Vector2d(1, -2).normalized();
    std::vector<Evidence> evidence;
    const auto parting = [&](int i, double tolerance) {
        const State start = random_state(2, 2, 0.01, 1e-5, 700 * context.seed + static_cast<std::uint64_t>(i));
        const Path path = trained(problem, start, 40, tolerance);
        const auto apart = [](const State& s) { return (s.m.row(0) - s.m.row(1)).norm(); };
        const auto time = first_time(path, apart, 0.3);
        if (!time) throw Unfinished("pca: the heads did not part");
        const State there = interpolate(path, *time);
        const Eigen::Vector2d direction = (there.m.row(0) - there.m.row(1)).transpose();
        return std::abs(direction.normalized().dot(top));
    };
    double least = 1;
    for (int i = 0; i < starts(context); ++i) {
        context.poll();
        least = std::min(least, parting(i, 1e-5));
    }
    const double error = std::abs(parting(0, 1e-5) - parting(0, 1e-4));
    evidence.push_back(
        our_reading(at_least(Form::printed, "flow",
                             "cosine between the heads' first parting and the top eigenvector, smallest over starts, "
                             "L=5, H=2",
                             0.98, {least, error}, context.seed)));
    evidence.push_back(later("learning time along the eigenvector of eigenvalue 4 over that of 8, L=5, H=4",
                             time_ratios(problem, top, low, 0.01, starts(context), 300, context), context.seed));
    return evidence;
}

std::vector<Evidence> grows_orthogonally(const Claim&, const Context& context) {
    context.poll();
    const Problem problem{Activation::softmax, 5, Prior::gaussian(Eigen::Vector2d(8, 2))};
    State start = state_at(Eigen::MatrixXd::Zero(4, 2));
    start.m.col(0) = Eigen::Vector4d(0.1, 0.11, -0.1, -0.11);  // the second feature stays at 0, by its symmetry
    const State learnt = last_state(trained(problem, start, 60));
    const Eigen::Vector4d mbar = learnt.m.col(0);
    const HessianEstimate h = hessian(problem, learnt);
    const auto curvature = [&](const Eigen::Vector4d& direction) {
        const Eigen::Vector4d u = (direction.array() - direction.mean()).matrix().normalized();
        return Estimate{u.dot(h.value.block(4, 4, 4, 4) * u),
                        u.cwiseAbs().dot(h.error.block(4, 4, 4, 4) * u.cwiseAbs())};
    };
    const Estimate along = curvature(mbar), one = curvature(Eigen::Vector4d(1, -1, 0, 0)),
                   other = curvature(Eigen::Vector4d(0, 0, 1, -1));
    const double across = std::max(one.value, other.value), error = along.error + one.error + other.error;
    return {at_least(
        Form::printed, "Hessian of the exact loss",
        fmt::format("curvature in the second feature along mbar=({:.3g}, {:.3g}, {:.3g}, {:.3g}); across it {:.4g}",
                    mbar[0], mbar[1], mbar[2], mbar[3], across),
        across, {along.value, error})};
}

// In the limit: on the way there the heads stay together for long and then part.
std::vector<Evidence> monotone(const Claim&, const Context& context) {
    const std::vector<double> strengths =
        context.tier == Tier::quick ? std::vector{1.0, 4.0} : std::vector{0.5, 1.0, 2.0, 4.0};
    const std::size_t n = strengths.size();
    Eigen::MatrixXd cosine(n, n), error(n, n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            context.poll();
            const Problem problem{Activation::softmax, 4, Prior::flipping_spike(strengths[i], strengths[j])};
            const State trained_state = last_state(trained(problem, random_state(2, 2, 1, 0.01, context.seed), 200));
            const auto at_rest = [&](double gradient) {
                PolishOptions options;
                options.gradient = gradient;
                const Polished end = polish(exact_engine(problem, 1e-10), trained_state, options);
                if (!end.minimum) throw Unfinished("app-c2-monotone: the flow's limit is not a minimum");
                return end.state.m.row(0).normalized().dot(end.state.m.row(1).normalized());
            };
            const double fine = at_rest(1e-9);
            cosine(Eigen::Index(i), Eigen::Index(j)) = fine;
            error(Eigen::Index(i), Eigen::Index(j)) = std::abs(fine - at_rest(1e-7));
        }
    std::vector<Evidence> evidence;
    const auto rises = [&](const char* which, double from, double to, double other, const Estimate& change) {
        evidence.push_back(
            at_least(Form::printed, "flow and polish",
                     fmt::format("change of the cosine of the heads as {} goes from {} to {}, the other at {}", which,
                                 from, to, other),
                     0, change, context.seed));
    };
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j + 1 < n; ++j) {
            const auto change = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) -> Estimate {
                const auto at = [](const Eigen::MatrixXd& x, std::size_t k, std::size_t l) {
                    return x(Eigen::Index(k), Eigen::Index(l));
                };
                return {at(cosine, a, b) - at(cosine, c, d), at(error, a, b) + at(error, c, d)};
            };
            rises("nu_1", strengths[j], strengths[j + 1], strengths[i], change(j + 1, i, j, i));
            rises("nu_2, sign reversed,", strengths[j], strengths[j + 1], strengths[i], change(i, j, i, j + 1));
        }
    return evidence;
}

}  // namespace

std::vector<Check> text_dynamics() {
    const auto signs = remembered<Signs>(final_signs);
    return {{"text/sequential", {"flow"}, sequential},
            {"text/even-groups",
             {"flow"},
             [signs](const Claim&, const Context& context) {
                 return std::vector{
                     typical("two heads on each side of each direction", signs(context), even, context.seed)};
             }},
            {"text/all-patterns",
             {"flow"},
             [signs](const Claim&, const Context& context) {
                 return std::vector{typical("all four patterns of signs", signs(context), all_different, context.seed)};
             }},
            {"text/equal-strength", {"flow", "Hessian of the exact loss"}, equal_strength},
            {"text/pca", {"flow"}, pca},
            {"text/grows-orthogonally", {"flow", "Hessian of the exact loss"}, grows_orthogonally},
            {"text/app-c2-monotone", {"flow and polish"}, monotone}};
}

}  // namespace lemmata::verify::checks
