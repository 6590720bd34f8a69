#include <lemmata/error.hpp>
#include <lemmata/path.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lemmata {

State interpolate(const Path& path, double tau) {
    if (!(tau >= path.start() && tau <= path.end()))
        throw InvalidInput("tau", fmt::format("{}", tau), fmt::format("a time in [{}, {}]", path.start(), path.end()));
    const auto after = std::lower_bound(path.knots.begin(), path.knots.end(), tau,
                                        [](const Knot& knot, double time) { return knot.tau < time; });
    const auto state = [&](const Eigen::VectorXd& x) { return unflatten(x, path.heads, path.features); };
    if (after->tau == tau) return state(after->x);
    const Knot& left = *(after - 1);
    const Knot& right = *after;
    const double width = right.tau - left.tau;
    const double s = (tau - left.tau) / width;
    const double t = 1 - s;
    return state(t * t * (1 + 2 * s) * left.x + s * s * (1 + 2 * t) * right.x +
                 width * s * t * (t * left.slope - s * right.slope) +
                 s * s * t * t * (right.bulge0 + s * right.bulge1));
}

State last_state(const Path& path) {
    return unflatten(path.knots.back().x, path.heads, path.features);
}

std::vector<double> logarithmic_grid(const Path& path, double first, int count) {
    std::vector<double> times;
    if (path.start() < first) times.push_back(path.start());
    for (int i = 0; i < count && first < path.end(); ++i) {
        const double tau = first * std::pow(path.end() / first, double(i) / std::max(count - 1, 1));
        times.push_back(i + 1 == count ? path.end() : tau);
    }
    if (times.empty() || times.back() < path.end()) times.push_back(path.end());
    return times;
}

}  // namespace lemmata
