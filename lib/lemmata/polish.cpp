#include <lemmata/error.hpp>
#include <lemmata/polish.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

namespace lemmata {
namespace {

using Spectrum = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;

struct Point {
    Eigen::VectorXd x;
    Eigen::VectorXd gradient;
    Estimate loss;
};

Point evaluate(const LossFunction& loss, const Eigen::VectorXd& x, int heads, int features) {
    const LossEstimate at = loss(unflatten(x, heads, features));
    if (!at.gradient) throw InvalidInput("loss", "no gradient", "an engine that returns its gradient");
    return {x, flatten(at.gradient->value), at.loss};
}

bool better(const Point& candidate, const Point& current) {
    const double rounding = 1e-14 + candidate.loss.error + current.loss.error;
    if (candidate.loss.value < current.loss.value - rounding) return true;
    return candidate.loss.value < current.loss.value + rounding && candidate.gradient.norm() < current.gradient.norm();
}

}  // namespace

Eigen::MatrixXd difference_hessian(const LossFunction& loss, const State& state, double step) {
    const Eigen::VectorXd x = flatten(state);
    Eigen::MatrixXd hessian(x.size(), x.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        const Eigen::VectorXd shift = step * Eigen::VectorXd::Unit(x.size(), i);
        hessian.col(i) = (evaluate(loss, x + shift, state.heads(), state.features()).gradient -
                          evaluate(loss, x - shift, state.heads(), state.features()).gradient) /
                         (2 * step);
    }
    return (hessian + hessian.transpose()) / 2;
}

Polished polish(const LossFunction& loss, const State& start, const PolishOptions& options) {
    const int heads = start.heads(), features = start.features();
    const auto spectrum_at = [&](const Eigen::VectorXd& x) {
        return Spectrum(difference_hessian(loss, unflatten(x, heads, features), options.difference_step));
    };
    Point current = evaluate(loss, flatten(start), heads, features);
    Spectrum spectrum = spectrum_at(current.x);
    double shift = 1e-3;
    int iteration = 0;
    while (current.gradient.cwiseAbs().maxCoeff() > options.gradient) {
        if (iteration == options.max_iterations || shift > 1e6)
            throw Unfinished(fmt::format("polish: {} iterations left a gradient of {:.3g}, wanted {:.3g}", iteration,
                                         current.gradient.cwiseAbs().maxCoeff(), options.gradient));
        const Eigen::VectorXd damping = spectrum.eigenvalues().cwiseAbs().array() + shift;
        const Eigen::VectorXd step =
            spectrum.eigenvectors() * (spectrum.eigenvectors().transpose() * current.gradient).cwiseQuotient(damping);
        Point candidate = evaluate(loss, current.x - step, heads, features);
        if (!better(candidate, current)) {
            shift *= 10;
            continue;
        }
        ++iteration;
        shift = std::max(shift / 10, options.curvature_error);
        current = std::move(candidate);
        spectrum = spectrum_at(current.x);
    }
    return {unflatten(current.x, heads, features),
            current.loss,
            current.gradient.cwiseAbs().maxCoeff(),
            spectrum.eigenvalues(),
            spectrum.eigenvalues()[0] >= -options.curvature_error,
            iteration};
}

}  // namespace lemmata
