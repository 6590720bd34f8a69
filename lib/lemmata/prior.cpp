#include <lemmata/error.hpp>
#include <lemmata/prior.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <cmath>

namespace lemmata {
namespace {

constexpr double weight_tolerance = 1e-9;
constexpr double definiteness_tolerance = 1e-12;  // relative to the largest entry

void validate_covariance(const std::string& field, const Eigen::MatrixXd& covariance, Eigen::Index features) {
    if (covariance.rows() != features || covariance.cols() != features)
        throw InvalidInput(field, fmt::format("{} x {}", covariance.rows(), covariance.cols()),
                           fmt::format("{0} x {0}, as the mean has {0} entries", features));
    if (!covariance.allFinite()) throw InvalidInput(field, "an entry that is not finite", "finite entries");
    const double scale = covariance.cwiseAbs().maxCoeff();
    if (!(covariance - covariance.transpose()).isZero(definiteness_tolerance * scale))
        throw InvalidInput(field, "not symmetric", "a symmetric positive semidefinite matrix");
    for (Eigen::Index f = 0; f < features; ++f)
        if (covariance(f, f) < 0)
            throw InvalidInput(fmt::format("{}[{}][{}]", field, f, f), fmt::format("{}", covariance(f, f)),
                               "a variance, >= 0");
    const double smallest =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(covariance, Eigen::EigenvaluesOnly).eigenvalues().minCoeff();
    if (smallest < -definiteness_tolerance * scale)
        throw InvalidInput(field, fmt::format("smallest eigenvalue {:.6g}", smallest),
                           "a symmetric positive semidefinite matrix");
}

double checked_strength(const std::string& field, double nu) {
    if (!(nu >= 0) || !std::isfinite(nu)) throw InvalidInput(field, fmt::format("{}", nu), "a finite number >= 0");
    return nu;
}

}  // namespace

Prior Prior::mixture(std::vector<Component> components) {
    if (components.empty()) throw InvalidInput("prior.component", "none", "at least one component");
    const Eigen::Index features = components.front().mean.size();
    if (features == 0) throw InvalidInput("prior.component[0].mean", "empty", "at least one feature");
    double total = 0;
    for (std::size_t k = 0; k < components.size(); ++k) {
        auto& c = components[k];
        const std::string field = fmt::format("prior.component[{}]", k);
        if (!(c.weight > 0) || !std::isfinite(c.weight))
            throw InvalidInput(field + ".weight", fmt::format("{}", c.weight), "a finite number > 0");
        if (c.mean.size() != features)
            throw InvalidInput(field + ".mean", fmt::format("{} entries", c.mean.size()),
                               fmt::format("{}, as in the first component", features));
        if (!c.mean.allFinite()) throw InvalidInput(field + ".mean", "an entry that is not finite", "finite entries");
        validate_covariance(field + ".covariance", c.covariance, features);
        c.covariance = ((c.covariance + c.covariance.transpose()) / 2).eval();
        total += c.weight;
    }
    if (!(std::abs(total - 1) <= weight_tolerance))
        throw InvalidInput("prior.component[*].weight", fmt::format("sum {:.12g}", total), "a sum of 1 (within 1e-9)");
    for (auto& c : components) c.weight /= total;
    return Prior(std::move(components));
}

Prior Prior::gaussian(const Eigen::VectorXd& variances) {
    if (variances.size() == 0) throw InvalidInput("prior.strengths", "empty", "at least one variance");
    for (Eigen::Index f = 0; f < variances.size(); ++f)
        checked_strength(fmt::format("prior.strengths[{}]", f), variances[f]);
    return mixture({{1.0, Eigen::VectorXd::Zero(variances.size()), variances.asDiagonal()}});
}

Prior Prior::atoms(std::vector<Eigen::VectorXd> signed_squares) {
    std::vector<Component> components;
    for (const Eigen::VectorXd& square : signed_squares) {
        const Eigen::VectorXd mean = square.cwiseAbs().cwiseSqrt().cwiseProduct(square.cwiseSign());
        components.push_back(
            {1.0 / static_cast<double>(signed_squares.size()), mean, Eigen::MatrixXd::Zero(mean.size(), mean.size())});
    }
    Prior prior = mixture(std::move(components));
    prior.signed_squares_ = std::move(signed_squares);
    return prior;
}

Prior Prior::flipping_spike(double nu1, double nu2) {
    const double first = checked_strength("prior.strengths[0]", nu1);
    const double second = checked_strength("prior.strengths[1]", nu2);
    return atoms({Eigen::Vector2d(first, second), Eigen::Vector2d(first, -second)});
}

Prior Prior::spikes(int features, double nu) {
    if (features < 1) throw InvalidInput("prior.features", fmt::format("{}", features), "at least 1");
    checked_strength("prior.strength", nu);
    std::vector<Eigen::VectorXd> squares;
    for (int f = 0; f < features; ++f) squares.emplace_back(nu * Eigen::VectorXd::Unit(features, f));
    return atoms(std::move(squares));
}

Prior Prior::spike(double nu) {
    return spikes(1, nu);
}

Eigen::VectorXd Prior::mean() const {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(features());
    for (const auto& c : components_) mean += c.weight * c.mean;
    return mean;
}

Eigen::MatrixXd Prior::covariance() const {
    const Eigen::VectorXd centre = mean();
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(features(), features());
    for (const auto& c : components_) {
        const Eigen::VectorXd shift = c.mean - centre;
        covariance += c.weight * (c.covariance + shift * shift.transpose());
    }
    return covariance;
}

bool Prior::discrete() const {
    return std::all_of(components_.begin(), components_.end(), [](const auto& c) { return c.covariance.isZero(0); });
}

bool Prior::symmetric() const {
    // Weight that a component and all its equals carry must be carried by its mirror images too.
    const auto same = [](const Component& a, const Component& b, double sign) {
        const double scale = 1 + a.mean.cwiseAbs().maxCoeff() + a.covariance.cwiseAbs().maxCoeff();
        return (a.mean - sign * b.mean).isZero(1e-12 * scale) && (a.covariance - b.covariance).isZero(1e-12 * scale);
    };
    for (const auto& a : components_) {
        double balance = 0;
        for (const auto& b : components_) {
            if (same(a, b, +1)) balance += b.weight;
            if (same(a, b, -1)) balance -= b.weight;
        }
        if (std::abs(balance) > 1e-12) return false;
    }
    return true;
}

Eigen::VectorXd linear_variances(int features, double from, double to) {
    if (features < 1) throw InvalidInput("prior.features", fmt::format("{}", features), "at least 1");
    if (features == 1) return Eigen::VectorXd::Constant(1, from);
    return Eigen::VectorXd::LinSpaced(features, from, to);
}

Eigen::MatrixXd square_root_factor(const Eigen::MatrixXd& covariance) {
    if (covariance.isDiagonal(0)) return covariance.diagonal().cwiseMax(0).cwiseSqrt().asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
    Eigen::MatrixXd factor = solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
    for (Eigen::Index f = 0; f < covariance.rows(); ++f)
        if (covariance(f, f) == 0) factor.row(f).setZero();
    return factor;
}

}  // namespace lemmata
