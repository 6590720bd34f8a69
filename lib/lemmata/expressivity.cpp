#include <lemmata/error.hpp>
#include <lemmata/expressivity.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace lemmata {
namespace {

constexpr double tolerance = 1e-12;

bool mirrored(const Component& a, const Component& b, double sign) {
    const double scale = 1 + a.mean.cwiseAbs().maxCoeff() + a.covariance.cwiseAbs().maxCoeff();
    return (a.mean - sign * b.mean).isZero(tolerance * scale) &&
           (a.covariance - b.covariance).isZero(tolerance * scale);
}

void require_discrete(const Prior& prior, const char* what) {
    if (!prior.discrete())
        throw InvalidInput("prior", "a component with a covariance", std::string("atoms, for ") + what);
}

// Weight of the atoms with m.theta <= 0; atoms at the origin always count.
double weight_behind(const Prior& prior, const Eigen::VectorXd& m) {
    double weight = 0;
    for (const auto& c : prior.components())
        if (m.dot(c.mean) <= tolerance * c.mean.norm()) weight += c.weight;
    return weight;
}

}  // namespace

double antipodal_mass(const Prior& prior) {
    double mass = 0;
    for (const auto& a : prior.components()) {
        double alike = 0, opposite = 0;  // weights of all components equal to a, and to its mirror image
        for (const auto& b : prior.components()) {
            if (mirrored(a, b, +1)) alike += b.weight;
            if (mirrored(a, b, -1)) opposite += b.weight;
        }
        // Each component's share of (1/2) p q / (p + q) summed over both of p and q.
        if (opposite > 0) mass += 0.5 * a.weight * opposite / (alike + opposite);
    }
    return mass;
}

double half_space_depth(const Prior& prior) {
    require_discrete(prior, "the depth of the origin");
    if (prior.features() > 2)
        throw InvalidInput("prior.features", fmt::format("{}", prior.features()),
                           "at most 2 for the depth of the origin");
    if (prior.features() == 1)
        return std::min(weight_behind(prior, Eigen::VectorXd::Constant(1, 1)),
                        weight_behind(prior, Eigen::VectorXd::Constant(1, -1)));
    // The weight behind m changes only where m is orthogonal to an atom; between two such directions
    // it is constant, and smallest.
    std::vector<double> angles;
    for (const auto& c : prior.components()) {
        if (c.mean.norm() == 0) continue;
        const double angle = std::atan2(c.mean[1], c.mean[0]) + std::numbers::pi / 2;
        for (const double a : {angle, angle + std::numbers::pi})
            angles.push_back(std::fmod(a + 2 * std::numbers::pi, 2 * std::numbers::pi));
    }
    if (angles.empty()) return 1;
    std::sort(angles.begin(), angles.end());
    angles.push_back(angles.front() + 2 * std::numbers::pi);
    double depth = 1;
    for (std::size_t i = 0; i + 1 < angles.size(); ++i) {
        if (angles[i + 1] - angles[i] < 1e-9) continue;
        const double middle = (angles[i] + angles[i + 1]) / 2;
        depth = std::min(depth, weight_behind(prior, Eigen::Vector2d(std::cos(middle), std::sin(middle))));
    }
    return depth;
}

double softmax_floor(const Prior& prior, std::int64_t tokens) {
    if (tokens < 2) throw InvalidInput("model.tokens", fmt::format("{}", tokens), "at least 2");
    const double ratio = static_cast<double>(tokens) / static_cast<double>(tokens - 1);
    double floor = ratio * antipodal_mass(prior);
    if (prior.discrete() && prior.features() <= 2) {
        const double depth = half_space_depth(prior);
        floor = std::max(floor, depth * depth / ratio);
    }
    return floor;
}

State opposed_heads(const Eigen::VectorXd& direction, double slope, int heads, int forward) {
    if (heads < 1 || forward < 0 || forward > heads)
        throw InvalidInput("forward", fmt::format("{} of {} heads", forward, heads), "between 0 and the heads");
    Eigen::MatrixXd m(heads, direction.size());
    for (int h = 0; h < heads; ++h) m.row(h) = (h < forward ? slope : -slope) * direction.transpose();
    return state_at(m);
}

State thresholded_pair(const Eigen::VectorXd& direction, double slope, double threshold) {
    State state = opposed_heads(direction, slope, 2, 1);
    state.b.setConstant(slope * threshold);
    state.v = 2;
    return state;
}

State heads_at_atoms(const Prior& prior, AtomBias bias) {
    require_discrete(prior, "one head per atom");
    const auto& atoms = prior.components();
    Eigen::MatrixXd m(static_cast<Eigen::Index>(atoms.size()), prior.features());
    for (std::size_t h = 0; h < atoms.size(); ++h) m.row(static_cast<Eigen::Index>(h)) = atoms[h].mean.transpose();
    State state = state_at(m);
    for (std::size_t h = 0; h < atoms.size(); ++h) {
        const double norm = atoms[h].mean.squaredNorm();
        const double log_weight = std::log(atoms[h].weight);
        state.b[static_cast<Eigen::Index>(h)] =
            bias == AtomBias::corrected ? log_weight - norm / 2 : -norm * log_weight / 2;
    }
    return state;
}

}  // namespace lemmata
