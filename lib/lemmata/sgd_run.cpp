#include <lemmata/sgd_run.hpp>

#include <algorithm>
#include <cmath>

namespace lemmata {

std::vector<std::uint64_t> recording_steps(std::uint64_t total, int count) {
    std::vector<std::uint64_t> steps{0};
    for (int i = 0; i <= count && total > 0; ++i) {
        const double at = std::pow(static_cast<double>(total), static_cast<double>(i) / count);
        const auto step = i == count ? total : static_cast<std::uint64_t>(std::llround(at));
        if (step > steps.back()) steps.push_back(step);
    }
    return steps;
}

bool sgd_continue(const Problem& problem, const Eigen::MatrixXd& spikes, const SgdOptions& options, std::uint64_t total,
                  SgdRun& run, const std::function<bool(const SgdRun&)>& keep_going) {
    const std::vector<std::uint64_t> wanted = recording_steps(total);
    // A finished run that is to go further records its last moment again.
    if (!run.records.empty() && run.records.back().steps == run.state.steps) run.records.pop_back();
    while (true) {
        const bool last = run.state.steps >= total;
        const bool due = last || std::binary_search(wanted.begin(), wanted.end(), run.state.steps);
        if (due) run.records.push_back({run.state.steps, overlaps(run.state, spikes), run.state.b, run.state.v, {}});
        SgdState next = run.state;
        const Estimate loss = sgd_step(problem, spikes, options, next);
        if (due) run.records.back().loss = loss;
        if (last) return true;
        run.state = std::move(next);
        if (keep_going && !keep_going(run)) return false;
    }
}

FlowResult flow_beside(const Problem& problem, const SgdRecord& start, const Engine& engine,
                       const FlowOptions& options) {
    return flow(engine(orthonormal_problem(problem, start.overlaps.p), static_cast<int>(start.b.size())),
                order_parameters(start.overlaps, start.b, start.v), options);
}

Distance distance(const std::vector<SgdRecord>& records, double rate, const Path& path) {
    Distance largest;
    for (const SgdRecord& record : records) {
        const double tau = rate * static_cast<double>(record.steps);
        if (tau > path.end()) break;
        const State state = interpolate(path, tau);
        const auto grow = [](double& value, const Eigen::MatrixXd& difference) {
            value = std::max(value, difference.cwiseAbs().maxCoeff());
        };
        grow(largest.m, record.overlaps.m - overlap_with_spikes(state.m, record.overlaps.p));
        grow(largest.R, orthogonal_overlap(record.overlaps) - state.r * state.r.transpose());
        grow(largest.b, record.b - state.b);
        largest.v = std::max(largest.v, std::abs(record.v - state.v));
    }
    return largest;
}

}  // namespace lemmata
