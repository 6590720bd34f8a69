#include <lemmata/global_search.hpp>
#include <lemmata/random.hpp>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lemmata {
namespace {

// The strategy's constants, all functions of the dimension (arXiv:1604.00772, table 1).
struct Constants {
    int population, parents;
    Eigen::VectorXd weights;
    double effective, c_sigma, damping, c_path, c_one, c_rank, length;

    explicit Constants(double n)
        : population(4 + static_cast<int>(3 * std::log(n))), parents(population / 2), weights(parents) {
        for (int i = 0; i < parents; ++i) weights[i] = std::log((population + 1) / 2.0) - std::log(i + 1.0);
        weights /= weights.sum();
        effective = 1 / weights.squaredNorm();
        c_sigma = (effective + 2) / (n + effective + 5);
        damping = 1 + 2 * std::max(0.0, std::sqrt((effective - 1) / (n + 1)) - 1) + c_sigma;
        c_path = (4 + effective / n) / (n + 4 + 2 * effective / n);
        c_one = 2 / ((n + 1.3) * (n + 1.3) + effective);
        c_rank = std::min(1 - c_one, 2 * (effective - 2 + 1 / effective) / ((n + 2) * (n + 2) + effective));
        length = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    }
};

}  // namespace

SearchResult search_minimum(const std::function<double(const Eigen::VectorXd&)>& f,
                            const std::vector<Eigen::VectorXd>& starts, const SearchOptions& options) {
    SearchResult best{starts.front(), std::numeric_limits<double>::infinity()};
    std::uint64_t drawn = 0;
    const auto evaluate = [&](const Eigen::VectorXd& x) {
        const double value = f(x);
        ++best.evaluations;
        if (!std::isfinite(value)) return std::numeric_limits<double>::max();
        if (value < best.value) {
            best.value = value;
            best.point = x;
        }
        return value;
    };
    for (const auto& start : starts) {
        const Eigen::Index n = start.size();
        const Constants k(static_cast<double>(n));
        Eigen::VectorXd mean = start;
        Eigen::VectorXd path_sigma = Eigen::VectorXd::Zero(n), path = path_sigma;
        Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(n, n);
        double sigma = options.spread;
        evaluate(mean);
        for (int used = 0; used < options.evaluations && best.value >= options.enough && sigma > 1e-12;
             used += k.population) {
            const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
            const Eigen::VectorXd axes = solver.eigenvalues().cwiseMax(1e-20).cwiseSqrt();
            Eigen::MatrixXd z(n, k.population);
            fill_normal({z.data(), static_cast<std::size_t>(z.size())}, options.seed, Stream::search, drawn);
            drawn += static_cast<std::uint64_t>(z.size());
            const Eigen::MatrixXd steps = solver.eigenvectors() * axes.asDiagonal() * z;
            std::vector<double> values(static_cast<std::size_t>(k.population));
            for (int i = 0; i < k.population; ++i)
                values[static_cast<std::size_t>(i)] = evaluate(mean + sigma * steps.col(i));
            std::vector<Eigen::Index> order(values.size());
            std::iota(order.begin(), order.end(), 0);
            std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
                return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
            });
            order.resize(static_cast<std::size_t>(k.parents));
            const Eigen::MatrixXd chosen = steps(Eigen::all, order);
            const Eigen::VectorXd step = chosen * k.weights;
            mean += sigma * step;
            path_sigma = (1 - k.c_sigma) * path_sigma +
                         std::sqrt(k.c_sigma * (2 - k.c_sigma) * k.effective) *
                             (solver.eigenvectors() * (solver.eigenvectors().transpose() * step).cwiseQuotient(axes));
            path = (1 - k.c_path) * path + std::sqrt(k.c_path * (2 - k.c_path) * k.effective) * step;
            covariance = (1 - k.c_one - k.c_rank) * covariance + k.c_one * path * path.transpose() +
                         k.c_rank * chosen * k.weights.asDiagonal() * chosen.transpose();
            sigma *= std::exp(k.c_sigma / k.damping * (path_sigma.norm() / k.length - 1));
        }
    }
    return best;
}

}  // namespace lemmata
