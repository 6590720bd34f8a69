#include <lemmata/events.hpp>

#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <cmath>

namespace lemmata {
namespace {

using Quantity = std::function<double(const State&)>;

constexpr int looks_per_step = 8;  // steps are short on the scale of the motion; a quantity with corners may not be

// Calls body(tau0, value0, tau1, value1) on consecutive looks at the quantity until it returns true.
template <typename Body>
void scan(const Path& path, const Quantity& quantity, Body body) {
    double tau = path.start();
    double value = quantity(interpolate(path, tau));
    for (std::size_t i = 1; i < path.knots.size(); ++i) {
        const double left = path.knots[i - 1].tau, width = path.knots[i].tau - left;
        for (int look = 1; look <= looks_per_step; ++look) {
            const double next_tau = look == looks_per_step ? path.knots[i].tau : left + width * look / looks_per_step;
            const double next_value = quantity(interpolate(path, next_tau));
            if (body(tau, value, next_tau, next_value)) return;
            tau = next_tau;
            value = next_value;
        }
    }
}

// Where quantity - level changes sign between two looks.
double crossing(const Path& path, const Quantity& quantity, double level, double tau0, double tau1) {
    const auto offset = [&](double tau) { return quantity(interpolate(path, tau)) - level; };
    const double at0 = offset(tau0), at1 = offset(tau1);
    if (at0 == 0) return tau0;
    if (at1 == 0) return tau1;
    const auto close = [](double a, double b) { return std::abs(b - a) <= 1e-10 * std::abs(b); };
    std::uintmax_t iterations = 100;
    return boost::math::tools::toms748_solve(offset, tau0, tau1, at0, at1, close, iterations).second;
}

// First time of half the value at `end`, if the quantity counts at all.
std::optional<double> half_time(const Path& path, const Quantity& quantity, double end) {
    const double final_value = quantity(interpolate(path, end));
    if (!(final_value >= event_threshold)) return std::nullopt;
    return first_time(path, quantity, final_value / 2);
}

void find_excursions(const Path& path, int head, int feature, std::vector<Excursion>& found) {
    const Quantity m = [=](const State& state) { return state.m(head, feature); };
    double side = 0;       // the sign the head had when it was last beyond the threshold
    double last_zero = 0;  // time of the last change of sign
    scan(path, m, [&](double tau0, double value0, double tau1, double value1) {
        if (side == 0 && std::abs(value0) >= event_threshold) side = std::copysign(1, value0);
        if (value0 * value1 < 0) last_zero = crossing(path, m, 0, tau0, tau1);
        if (std::abs(value1) >= event_threshold) {
            if (side * value1 < 0) found.push_back({head, feature, last_zero});
            side = std::copysign(1, value1);
        }
        return false;
    });
}

}  // namespace

double alignment(const State& state, const Eigen::VectorXd& mean_theta) {
    return mean_theta.isZero(0) ? 0 : (state.m * mean_theta.normalized()).mean();
}

double spread(const State& state, const Eigen::VectorXd& mean_theta) {
    Eigen::MatrixXd m = state.m;
    if (!mean_theta.isZero(0)) {
        const Eigen::VectorXd e = mean_theta.normalized();
        m -= m * e * e.transpose();
    }
    double largest = 0;
    for (Eigen::Index h = 0; h < m.rows(); ++h)
        for (Eigen::Index other = 0; other < h; ++other) largest = std::max(largest, (m.row(h) - m.row(other)).norm());
    return largest;
}

double feature_spread(const State& state, int feature) {
    const auto column = state.m.col(feature);
    return (column.array() - column.mean()).abs().maxCoeff();
}

std::optional<double> first_time(const Path& path, const Quantity& quantity, double level) {
    if (quantity(interpolate(path, path.start())) >= level) return path.start();
    std::optional<double> found;
    scan(path, quantity, [&](double tau0, double, double tau1, double value1) {
        if (value1 < level) return false;
        found = crossing(path, quantity, level, tau0, tau1);
        return true;
    });
    return found;
}

Events find_events(const Path& path, const Eigen::VectorXd& mean_theta) {
    const Quantity aligned = [&](const State& state) { return alignment(state, mean_theta); };
    const Quantity apart = [&](const State& state) { return spread(state, mean_theta); };
    Events events;
    events.tau_s_start = first_time(path, apart, event_threshold);
    events.tau_s = half_time(path, apart, path.end());
    events.tau_u_start = first_time(path, aligned, event_threshold);
    events.tau_u = half_time(path, aligned, events.tau_s_start.value_or(path.end()));
    for (int f = 0; f < path.features; ++f) {
        events.learning.push_back(half_time(
            path, [f](const State& state) { return feature_spread(state, f); }, path.end()));
        for (int h = 0; h < path.heads; ++h) find_excursions(path, h, f, events.excursions);
    }
    std::stable_sort(events.excursions.begin(), events.excursions.end(),
                     [](const Excursion& a, const Excursion& b) { return a.tau < b.tau; });
    return events;
}

}  // namespace lemmata
