#include <lemmata/error.hpp>
#include <lemmata/gauss_hermite.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <cmath>

namespace lemmata {
namespace {

// Orthonormal Hermite polynomials at x: the values of degree n and n - 1, and sum_{k<n} h_k^2.
struct Hermite {
    long double top;
    long double below;
    long double sum_of_squares;
};

Hermite hermite(int n, long double x) {
    Hermite h{1, 0, 0};
    for (int k = 0; k < n; ++k) {
        h.sum_of_squares += h.top * h.top;
        const long double next =
            (x * h.top - std::sqrt(static_cast<long double>(k)) * h.below) / std::sqrt(static_cast<long double>(k + 1));
        h.below = h.top;
        h.top = next;
    }
    return h;
}

}  // namespace

QuadratureRule gauss_hermite(int order) {
    if (order < 1 || order > max_gauss_hermite_order)
        throw InvalidInput("nodes", fmt::format("{}", order), fmt::format("1 to {}", max_gauss_hermite_order));
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
    const Eigen::VectorXd off_diagonal = Eigen::VectorXd::LinSpaced(order - 1, 1, order - 1).cwiseSqrt();
    solver.computeFromTridiagonal(Eigen::VectorXd::Zero(order), off_diagonal, Eigen::EigenvaluesOnly);
    QuadratureRule rule{solver.eigenvalues(), Eigen::VectorXd(order)};
    for (int i = 0; i < (order + 1) / 2; ++i) {
        const int mirror = order - 1 - i;
        long double x = (static_cast<long double>(rule.nodes[mirror]) - rule.nodes[i]) / 2;
        if (i == mirror) x = 0;
        for (int step = 0; step < 3; ++step) {
            const Hermite h = hermite(order, x);
            x -= h.top / (std::sqrt(static_cast<long double>(order)) * h.below);
        }
        rule.nodes[mirror] = static_cast<double>(x);
        rule.nodes[i] = -rule.nodes[mirror];
        rule.weights[i] = rule.weights[mirror] = static_cast<double>(1 / hermite(order, x).sum_of_squares);
    }
    return rule;
}

}  // namespace lemmata
