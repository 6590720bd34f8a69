#include <lemmata/orthogonal_groups.hpp>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace lemmata {
namespace {

constexpr double tolerance = 1e-13;

bool same(const Component& a, const Component& b) {
    const double scale = 1 + a.mean.cwiseAbs().maxCoeff() + a.covariance.cwiseAbs().maxCoeff();
    return (a.mean - b.mean).isZero(tolerance * scale) && (a.covariance - b.covariance).isZero(tolerance * scale);
}

std::vector<Component> merged(const Prior& prior) {
    std::vector<Component> result;
    for (const auto& c : prior.components()) {
        const auto twin = std::find_if(result.begin(), result.end(), [&](const auto& r) { return same(r, c); });
        if (twin == result.end()) {
            result.push_back(c);
        } else {
            twin->weight += c.weight;
        }
    }
    return result;
}

// mean and a root of the covariance, side by side: its columns span what the component uses.
Eigen::MatrixXd span_of(const Component& c) {
    Eigen::MatrixXd span(c.mean.size(), c.mean.size() + 1);
    span << c.mean, square_root_factor(c.covariance);
    return span;
}

bool orthogonal(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return (a.transpose() * b).norm() <= tolerance * a.norm() * b.norm();
}

// An orthonormal basis of the components' common span, widest direction first.
Eigen::MatrixXd basis_of(const std::vector<Component>& components) {
    const Eigen::Index features = components.front().mean.size();
    Eigen::MatrixXd second_moment = Eigen::MatrixXd::Zero(features, features);
    for (const auto& c : components) second_moment += c.weight * (c.covariance + c.mean * c.mean.transpose());
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(second_moment);
    const Eigen::VectorXd& values = solver.eigenvalues();
    const auto used = std::count_if(values.begin(), values.end(),
                                    [&](double value) { return value > tolerance * values.maxCoeff(); });
    return solver.eigenvectors().rightCols(std::max<Eigen::Index>(used, 1)).rowwise().reverse();
}

OrthogonalGroup group_of(std::vector<Component> components) {
    const Eigen::MatrixXd basis = basis_of(components);
    double weight = 0;
    for (const auto& c : components) weight += c.weight;
    for (auto& c : components)
        c = {c.weight / weight, basis.transpose() * c.mean, basis.transpose() * c.covariance * basis};
    return {weight, Prior::mixture(std::move(components))};
}

}  // namespace

std::vector<OrthogonalGroup> orthogonal_groups(const Prior& prior) {
    const std::vector<Component> components = merged(prior);
    std::vector<Eigen::MatrixXd> spans;
    for (const auto& c : components) spans.push_back(span_of(c));
    std::vector<OrthogonalGroup> groups;
    std::vector<bool> taken(components.size(), false);
    for (std::size_t start = 0; start < components.size(); ++start) {
        if (taken[start]) continue;
        taken[start] = true;
        std::vector<std::size_t> members{start};
        for (std::size_t i = 0; i < members.size(); ++i)
            for (std::size_t k = 0; k < components.size(); ++k)
                if (!taken[k] && !orthogonal(spans[members[i]], spans[k])) {
                    taken[k] = true;
                    members.push_back(k);
                }
        std::vector<Component> group;
        for (const std::size_t k : members) group.push_back(components[k]);
        groups.push_back(group_of(std::move(group)));
    }
    return groups;
}

}  // namespace lemmata
