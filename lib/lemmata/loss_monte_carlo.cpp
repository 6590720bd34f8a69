#include <lemmata/error.hpp>
#include <lemmata/fit.hpp>
#include <lemmata/loss_monte_carlo.hpp>
#include <lemmata/tile_kernel.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>
#include <cmath>
#include <mutex>

namespace lemmata {
namespace {

// Mean and spread of independent observations, entry by entry (Welford; Chan's merge).
struct Moments {
    double count = 0;
    Eigen::ArrayXd mean;
    Eigen::ArrayXd squares;  // sum of squared deviations

    void add(const Eigen::ArrayXd& x) {
        if (count == 0) {
            mean = x;
            squares = Eigen::ArrayXd::Zero(x.size());
            count = 1;
            return;
        }
        count += 1;
        const Eigen::ArrayXd delta = x - mean;
        mean += delta / count;
        squares += delta * (x - mean);
    }

    void merge(const Moments& other) {
        if (other.count == 0) return;
        if (count == 0) {
            *this = other;
            return;
        }
        const double total = count + other.count;
        const Eigen::ArrayXd delta = other.mean - mean;
        mean += delta * (other.count / total);
        squares += other.squares + delta.square() * (count * other.count / total);
        count = total;
    }

    // Standard error of the mean, widened so that 4 of them have the confidence of 4 sigmas.
    [[nodiscard]] Eigen::ArrayXd standard_error() const {
        if (count < 2) return Eigen::ArrayXd::Constant(mean.size(), std::numeric_limits<double>::infinity());
        return student_widening(count - 1) * (squares / (count * (count - 1))).sqrt();
    }
};

std::string method_name(const Samples& samples) {
    switch (samples.sampling()) {
        case Sampling::plain:
            return "monte-carlo";
        case Sampling::antithetic:
            return "monte-carlo (antithetic)";
        case Sampling::sobol:
            break;
    }
    const auto padded = samples.padded();
    return padded == 0 ? "monte-carlo (sobol)"
                       : fmt::format("monte-carlo (sobol, {} coordinates beyond the generator's are plain)", padded);
}

}  // namespace

LossEstimate loss_monte_carlo(const Problem& problem, const State& state, const Samples& samples, bool gradient,
                              const Progress& progress) {
    validate(problem, state);
    if (samples.tokens() != problem.tokens || samples.heads() != state.heads())
        throw InvalidInput("samples", fmt::format("made for L = {}, H = {}", samples.tokens(), samples.heads()),
                           fmt::format("L = {}, H = {}", problem.tokens, state.heads()));

    // A task handles whole batches, or a piece of one, always the same pieces.
    constexpr std::int64_t tiles_per_task = 32;
    const std::int64_t batch = samples.tiles_per_batch();
    const std::int64_t tasks_per_batch = batch == 1 ? 1 : (batch + tiles_per_task - 1) / tiles_per_task;
    const std::int64_t stride = batch == 1 ? tiles_per_task : batch;
    const std::int64_t tasks = (samples.tiles() + stride - 1) / stride * tasks_per_batch;
    std::vector<Moments> results(static_cast<std::size_t>(tasks));

    struct Workspace {
        TileKernel kernel;
        Eigen::MatrixXd inputs;
        Eigen::ArrayXd value;
    };
    tbb::enumerable_thread_specific<Workspace> workspaces([&] {
        return Workspace{TileKernel(problem, state, gradient), {}, {}};
    });
    std::mutex reporting;
    std::int64_t done = 0;
    tbb::parallel_for(std::int64_t{0}, tasks, [&](std::int64_t task) {
        auto& [kernel, inputs, value] = workspaces.local();
        const std::int64_t begin = task / tasks_per_batch * stride + task % tasks_per_batch * tiles_per_task;
        const std::int64_t end =
            std::min({begin + tiles_per_task, (task / tasks_per_batch + 1) * stride, samples.tiles()});
        Moments moments;
        for (std::int64_t tile = begin; tile < end; ++tile) {
            if (samples.stored()) {
                kernel.evaluate(samples.view(tile), value, tile + 1 < end ? &samples.view(tile + 1) : nullptr);
            } else {
                samples.draw(tile, inputs);
                kernel.evaluate(inputs, value);
            }
            moments.add(value);
        }
        results[static_cast<std::size_t>(task)] = std::move(moments);
        if (progress) {
            const std::lock_guard lock(reporting);
            progress(static_cast<double>(++done) / static_cast<double>(tasks));
        }
    });

    Moments total;
    if (batch == 1) {
        for (const auto& r : results) total.merge(r);
    } else {
        for (std::int64_t first = 0; first < tasks; first += tasks_per_batch) {
            Moments replicate;
            for (std::int64_t i = 0; i < tasks_per_batch; ++i)
                replicate.merge(results[static_cast<std::size_t>(first + i)]);
            total.add(replicate.mean);
        }
    }

    const Eigen::ArrayXd error = total.standard_error();
    LossEstimate result;
    result.loss = {total.mean[0], error[0], ErrorKind::standard};
    result.method = method_name(samples);
    if (gradient) {
        const auto unpack = [&](const Eigen::ArrayXd& x) {
            return unflatten(x.tail(x.size() - 1).matrix(), state.heads(), state.features());
        };
        result.gradient = GradientEstimate{unpack(total.mean), unpack(error)};
    }
    return result;
}

LossEstimate loss_monte_carlo(const Problem& problem, const State& state, const MonteCarloOptions& options) {
    validate(problem, state);
    const Samples samples(problem.prior, problem.tokens, state.heads(), options.samples, options.sampling,
                          options.seed);
    return loss_monte_carlo(problem, state, samples, options.gradient, options.progress);
}

}  // namespace lemmata
