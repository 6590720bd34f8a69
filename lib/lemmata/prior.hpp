// The law of the feature weights theta: a Gaussian mixture
//     P_theta = sum_k weight_k N(mean_k, covariance_k),
// where a zero covariance is an atom. Every prior of [2603.03993v1, sec. II.1] is of this form.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace lemmata {

struct Component {
    double weight = 1;
    Eigen::VectorXd mean;        // F
    Eigen::MatrixXd covariance;  // F x F, symmetric positive semidefinite; may be singular or 0
};

class Prior {
public:
    // Throws InvalidInput, naming `prior.component[k].…`, unless the weights are positive and sum
    // to 1 within 1e-9, shapes agree, entries are finite and covariances are symmetric positive
    // semidefinite. Weights are then normalised to sum to 1 exactly up to rounding.
    static Prior mixture(std::vector<Component> components);

    // theta_f ~ N(0, variances_f), independent.
    static Prior gaussian(const Eigen::VectorXd& variances);

    // theta = (sqrt(nu1), +-sqrt(nu2)), the sign uniform. F = 2.
    static Prior flipping_spike(double nu1, double nu2);

    // theta uniform on { sqrt(nu) e_f : f = 1..F }.
    static Prior spikes(int features, double nu);

    // theta = sqrt(nu). F = 1.
    static Prior spike(double nu);

    [[nodiscard]] const std::vector<Component>& components() const { return components_; }
    [[nodiscard]] int features() const { return static_cast<int>(components_.front().mean.size()); }

    // Priors given by strengths nu have means +-sqrt(nu), which floating point rounds. This is the k-th component's
    // mean before the root, sign(mean) nu, entry by entry; empty for a prior given by its components.
    [[nodiscard]] const std::vector<Eigen::VectorXd>& signed_squares() const { return signed_squares_; }

    [[nodiscard]] Eigen::VectorXd mean() const;        // E theta
    [[nodiscard]] Eigen::MatrixXd covariance() const;  // Cov theta

    [[nodiscard]] bool discrete() const;   // every component is an atom
    [[nodiscard]] bool symmetric() const;  // theta and -theta have the same law, up to 1e-12

private:
    explicit Prior(std::vector<Component> components) : components_(std::move(components)) {}
    // Atoms of equal weight at sign(square) sqrt(|square|).
    static Prior atoms(std::vector<Eigen::VectorXd> signed_squares);
    std::vector<Component> components_;
    std::vector<Eigen::VectorXd> signed_squares_;
};

// Variances falling linearly from `from` (f = 1) to `to` (f = F); F = 1 gives {from}.
Eigen::VectorXd linear_variances(int features, double from, double to);

// A matrix A with A A^T = covariance, for any symmetric positive semidefinite covariance.
// Exactly zero rows and columns stay exactly zero.
Eigen::MatrixXd square_root_factor(const Eigen::MatrixXd& covariance);

}  // namespace lemmata
