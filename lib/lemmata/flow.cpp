#include <lemmata/error.hpp>
#include <lemmata/flow.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <cmath>

namespace lemmata {
namespace {

namespace odeint = boost::numeric::odeint;
using Flat = std::vector<double>;  // odeint's algebra for Eigen vectors is fragile

Eigen::Map<const Eigen::VectorXd> view(const Flat& x) {
    return {x.data(), static_cast<Eigen::Index>(x.size())};
}

Flat to_flat(const Eigen::VectorXd& x) {
    return {x.data(), x.data() + x.size()};
}

// The right-hand side, remembering the loss where it was evaluated last: after a step that is the
// new point, because Dormand-Prince evaluates there to start the next step.
class System {
public:
    System(const LossFunction& loss, const Path& path, Root root) : loss_(loss), path_(path), root_(root) {}

    void operator()(const Flat& x, Flat& slope, double tau) {
        const LossEstimate at = loss_(unflatten(view(x), path_.heads, path_.features));
        if (!at.gradient) throw InvalidInput("loss", "no gradient", "an engine that returns its gradient");
        Gradient gradient = at.gradient->value;
        if (root_ == Root::symmetric) gradient.r = (gradient.r + gradient.r.transpose()).eval() / 2;
        slope = to_flat(-flatten(gradient));
        if (!std::isfinite(at.loss.value) || !view(slope).allFinite())
            throw Unfinished(fmt::format("flow: the loss or its gradient is not finite near tau = {:.6g}", tau));
        loss_here = at.loss;
        ++evaluations;
    }

    Estimate loss_here;
    std::int64_t evaluations = 0;

private:
    const LossFunction& loss_;
    const Path& path_;
    Root root_;
};

using Stepper = odeint::runge_kutta_dopri5<Flat>;
using Controlled = odeint::result_of::make_controlled<Stepper>::type;

// How much a step may raise the loss: the errors of the two values, and what an error of the
// state of the size the tolerance allows does to it, to second order (curvatures are below 100).
double allowance(const Knot& from, const Knot& to, const FlowOptions& options) {
    const Eigen::ArrayXd displacement = options.tolerance * (to.x.array().abs() + options.floor);
    return margin(from.loss) + margin(to.loss) + 1e-14 + (to.slope.array().abs() * displacement).sum() +
           100 * displacement.square().sum();
}

class Integrator {
public:
    Integrator(const LossFunction& loss, Path path, const FlowOptions& options)
        : options_(options),
          result_{std::move(path), Stop::until, 0, 0, 0},
          system_(loss, result_.path, options.root),
          controlled_(odeint::make_controlled(options.tolerance * options.floor, options.tolerance, Stepper())) {}

    FlowResult run() {
        Path& path = result_.path;
        if (path.knots.back().slope.size() == 0) {  // a start, not evaluated yet
            Knot& first = path.knots.back();
            Flat slope;
            system_(to_flat(first.x), slope, first.tau);
            first.slope = view(slope);
            first.loss = system_.loss_here;
        }
        while (true) {
            const Knot& here = path.knots.back();
            result_.largest_gradient = here.slope.cwiseAbs().maxCoeff();
            result_.stopped = stop_reason(here);
            if (result_.stopped != Stop::until || here.tau >= options_.until) break;
            if (result_.steps() >= options_.max_steps)
                throw Unfinished(fmt::format("flow: {} steps did not reach tau = {} (at {:.6g})", options_.max_steps,
                                             options_.until, here.tau));
            Knot next = options_.euler_step > 0 ? euler_step(here) : adaptive_step(here);
            if (next.loss.value > here.loss.value + allowance(here, next, options_))
                throw Unfinished(
                    fmt::format("flow: the loss rose from {:.12g} to {:.12g} at tau = {:.6g}; a smaller "
                                "tolerance or step is needed",
                                here.loss.value, next.loss.value, next.tau));
            path.knots.push_back(std::move(next));
        }
        result_.evaluations = system_.evaluations;
        return std::move(result_);
    }

private:
    Stop stop_reason(const Knot& here) const {
        if (result_.largest_gradient <= options_.converged) return Stop::converged;
        if (options_.progress && !options_.progress({here.tau, here.loss.value, result_.largest_gradient}))
            return Stop::interrupted;
        return Stop::until;
    }

    Knot adaptive_step(const Knot& here) {
        const Flat x = to_flat(here.x), slope = to_flat(here.slope);
        Flat new_x(x.size()), new_slope(x.size());
        double& proposal = result_.path.next_step;
        double step = std::min(proposal, options_.until - here.tau);
        // A step cut short to end at `until` must not shorten those after it, should the path be continued.
        double at_least = step < proposal ? proposal : 0;
        double tau = here.tau;
        while (controlled_.try_step(std::ref(system_), x, slope, tau, new_x, new_slope, step) == odeint::fail) {
            ++result_.rejected;
            at_least = 0;
            if (step < 1e-12 * std::max(1.0, here.tau))
                throw Unfinished(fmt::format("flow: steps shrink to nothing at tau = {:.6g}", here.tau));
        }
        proposal = std::max(step, at_least);
        if (options_.until - tau < 1e-12 * options_.until) tau = options_.until;
        Knot next{tau, view(new_x), view(new_slope), {}, {}, system_.loss_here};
        // The dense output minus the Hermite interpolant, at one third and two thirds, fixes the bulge.
        const double width = next.tau - here.tau;
        const auto excess = [&](double s) -> Eigen::VectorXd {
            Flat inside(x.size());
            controlled_.stepper().calc_state(here.tau + s * width, inside, x, slope, here.tau, new_x, new_slope,
                                             next.tau);
            const double t = 1 - s;
            return (view(inside) - t * t * (1 + 2 * s) * here.x - s * s * (1 + 2 * t) * next.x -
                    width * s * t * (t * here.slope - s * next.slope)) /
                   (s * s * t * t);
        };
        const Eigen::VectorXd first = excess(1.0 / 3), second = excess(2.0 / 3);
        next.bulge1 = 3 * (second - first);
        next.bulge0 = 2 * first - second;
        return next;
    }

    Knot euler_step(const Knot& here) {
        const double step = std::min(options_.euler_step, options_.until - here.tau);
        Knot next{here.tau + step, here.x + step * here.slope, {}, {}, {}, {}};
        if (options_.until - next.tau < 1e-12 * options_.until) next.tau = options_.until;
        Flat slope;
        system_(to_flat(next.x), slope, next.tau);
        next.slope = view(slope);
        next.loss = system_.loss_here;
        next.bulge0 = next.bulge1 = Eigen::VectorXd::Zero(next.x.size());
        return next;
    }

    FlowOptions options_;
    FlowResult result_;
    System system_;
    Controlled controlled_;
};

}  // namespace

void validate(const FlowOptions& options) {
    const auto positive = [](const char* field, double value, bool zero_too) {
        if (!(zero_too ? value >= 0 : value > 0) || !std::isfinite(value))
            throw InvalidInput(field, fmt::format("{}", value),
                               zero_too ? "a finite number >= 0" : "a finite number > 0");
    };
    positive("flow.until", options.until, true);
    positive("flow.tolerance", options.tolerance, false);
    positive("flow.floor", options.floor, false);
    positive("flow.converged", options.converged, true);
    positive("flow.step", options.euler_step, true);
    if (options.max_steps < 1) throw InvalidInput("flow.max_steps", fmt::format("{}", options.max_steps), "at least 1");
}

FlowResult flow(const LossFunction& loss, Path path, const FlowOptions& options) {
    validate(options);
    return Integrator(loss, std::move(path), options).run();
}

FlowResult flow(const LossFunction& loss, const State& start, const FlowOptions& options) {
    State from = start;
    if (options.root == Root::symmetric) {
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(start.r * start.r.transpose());
        from.r = solver.operatorSqrt();
    }
    Knot first;
    first.x = flatten(from);
    return flow(loss, Path{start.heads(), start.features(), {first}, 1e-2}, options);
}

}  // namespace lemmata
