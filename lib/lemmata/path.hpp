// A trajectory of the order parameters, continuous in time.
//
// Between two knots a path is the integrator's own dense output, a polynomial of degree 5 that
// matches states and slopes at both knots:
//     x(s) = cubic Hermite interpolant + s^2 (1 - s)^2 (bulge0 + bulge1 s),  0 <= s <= 1.
// Its error is of the order of the integrator's tolerance, so events may be located on it. A path
// is plain data: saved and loaded, it can be continued to the same bits.
#pragma once

#include <lemmata/estimate.hpp>
#include <lemmata/state.hpp>

#include <Eigen/Core>
#include <vector>

namespace lemmata {

struct Knot {
    double tau = 0;
    Eigen::VectorXd x;               // flatten(state)
    Eigen::VectorXd slope;           // dx / dtau
    Eigen::VectorXd bulge0, bulge1;  // of the interval that ends here
    Estimate loss;
};

struct Path {
    int heads = 0;
    int features = 0;
    std::vector<Knot> knots;  // in order of time, at least one
    double next_step = 0;     // the integrator's proposal for the step after the last knot

    [[nodiscard]] double start() const { return knots.front().tau; }
    [[nodiscard]] double end() const { return knots.back().tau; }
};

// The state at tau; outside [start, end] InvalidInput.
State interpolate(const Path& path, double tau);

// The state at the last knot.
State last_state(const Path& path);

// 0 (if the path starts there) and `count` times from `first` to the end, evenly spaced in the logarithm.
std::vector<double> logarithmic_grid(const Path& path, double first, int count);

}  // namespace lemmata
