#include <lemmata/error.hpp>
#include <lemmata/events.hpp>
#include <lemmata/laws.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata {
namespace {

State moved(const State& from, const Gradient& direction, double by) {
    return unflatten(flatten(from) + by * flatten(direction), from.heads(), from.features());
}

Eigen::VectorXd unit(const Gradient& direction) {
    const Eigen::VectorXd flat = flatten(direction);
    if (!(flat.norm() > 0)) throw InvalidInput("direction", "zero", "a direction");
    return flat.normalized();
}

// log 10 over the time it takes to grow from amplitude to ten times it.
double growth(const LossFunction& loss, const State& saddle, const Eigen::VectorXd& u, double amplitude,
              double patience) {
    const Eigen::VectorXd origin = flatten(saddle);
    const auto along = [&](const State& state) { return u.dot(flatten(state) - origin); };
    FlowOptions options;
    options.until = patience;
    options.tolerance = 1e-9;
    options.floor = 1e-3 * amplitude;
    options.converged = 0;
    // The flow knows nothing of events: note when its states have gone far enough, and interrupt it.
    bool grown = false;
    const LossFunction watched = [&](const State& state) {
        grown = grown || along(state) > 12 * amplitude;
        return loss(state);
    };
    options.progress = [&](const FlowProgress&) { return !grown; };
    const State start = unflatten(origin + amplitude * u, saddle.heads(), saddle.features());
    const FlowResult result = flow(watched, start, options);
    const auto time = first_time(result.path, along, 10 * amplitude);
    if (!time) throw Unfinished(fmt::format("escape rate: no growth within tau = {}", patience));
    return std::log(10.0) / *time;
}

}  // namespace

Estimate escape_rate(const LossFunction& loss, const State& saddle, const Gradient& direction, double amplitude,
                     double patience) {
    const Eigen::VectorXd u = unit(direction);
    const double coarse = growth(loss, saddle, u, amplitude, patience);
    const double fine = growth(loss, saddle, u, amplitude / 2, patience);
    const double step = (fine - coarse) / 3;  // from amplitude^2 and a quarter of it to 0
    return {fine + step, std::abs(step) + 1e-7 * std::abs(fine)};
}

double curvature(const LossFunction& loss, const State& state, const Gradient& direction, double step) {
    const Eigen::VectorXd u = unit(direction);
    const Gradient along = unflatten(u, state.heads(), state.features());
    const auto slope = [&](double by) {
        const LossEstimate at = loss(moved(state, along, by));
        if (!at.gradient) throw InvalidInput("loss", "no gradient", "an engine that returns its gradient");
        return u.dot(flatten(at.gradient->value));
    };
    return (slope(step) - slope(-step)) / (2 * step);
}

SpecializationLaw specialization_law(const LossFunction& loss, const State& saddle, const Gradient& direction,
                                     const Eigen::VectorXd& mean_theta, const std::vector<double>& dimensions,
                                     const FlowOptions& options) {
    SpecializationLaw law;
    Eigen::VectorXd logarithms(static_cast<Eigen::Index>(dimensions.size()));
    Eigen::VectorXd times(logarithms.size());
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const FlowResult result = flow(loss, moved(saddle, direction, 1 / std::sqrt(dimensions[i])), options);
        const auto time = find_events(result.path, mean_theta).tau_s;
        if (!time)
            throw Unfinished(
                fmt::format("specialization law: none within tau = {} at D = {}", options.until, dimensions[i]));
        law.times.push_back(*time);
        logarithms[static_cast<Eigen::Index>(i)] = std::log(dimensions[i]);
        times[static_cast<Eigen::Index>(i)] = *time;
    }
    law.slope = fit_line(logarithms, times);
    return law;
}

SgdComparison compare_with_sgd(const Problem& problem, const Engine& engine, const ComparisonSettings& settings) {
    SgdComparison result;
    SgdOptions options = settings.sgd;
    const auto total = static_cast<std::uint64_t>(std::llround(settings.until / options.rate));
    FlowOptions flow_options;
    flow_options.until = options.rate * static_cast<double>(total);
    flow_options.tolerance = 1e-7;
    flow_options.converged = 0;
    for (int i = 0; i < settings.seeds; ++i, ++options.seed) {
        const Eigen::MatrixXd spikes = hidden_spikes(problem.prior.features(), options);
        SgdRun run{settings.start ? sgd_start_at(*settings.start, spikes, options)
                                  : sgd_start(settings.heads, settings.eta, options),
                   {}};
        sgd_continue(problem, spikes, options, total, run);
        const auto apart = [&](Root root) {
            flow_options.root = root;
            const FlowResult beside = flow_beside(problem, run.records.front(), engine, flow_options);
            return distance(run.records, options.rate, beside.path);
        };
        result.distances.push_back(apart(Root::factor));
        if (settings.symmetric) result.symmetric.push_back(apart(Root::symmetric));
    }
    return result;
}

}  // namespace lemmata
