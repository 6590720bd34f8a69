#include <lemmata/lattice.hpp>
#include <lemmata/race.hpp>
#include <lemmata/race_expansion.hpp>
#include <lemmata/vector_math.hpp>

#include <algorithm>
#include <cmath>

namespace lemmata {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double wide = 2.5;  // from here on the lattice in y has fewer nodes

// column n: He_n(z) / sqrt(n!), by the recurrence of the normalised polynomials, times `start`.
void hermite_columns(const Eigen::ArrayXd& z, const Eigen::ArrayXd& start, Eigen::Ref<Eigen::MatrixXd> columns) {
    columns.col(0) = start;
    if (columns.cols() > 1) columns.col(1) = z * start;
    for (Eigen::Index n = 2; n < columns.cols(); ++n) {
        const double scale = 1 / std::sqrt(static_cast<double>(n)),
                     back = std::sqrt(static_cast<double>(n - 1)) * scale;
        columns.col(n) = (scale * z * columns.col(n - 1).array() - back * columns.col(n - 2).array()).matrix();
    }
}

// He_n turns at 2 sqrt(n): the lattice reaches beyond, and resolves its oscillation.
void expand_narrow(const Eigen::ArrayXd& points, double sigma, int derivatives, double accuracy, double tail,
                   Eigen::MatrixXd& values) {
    const double root = std::sqrt(static_cast<double>(values.cols()));
    const double spacing = smoothing_spacing(sigma, accuracy, root);
    const double reach = std::max(std::sqrt(2 * std::log(1 / tail)), root < 3 ? 0 : 2 * root + 3);
    const QuadratureRule rule = gaussian_lattice(spacing, std::max(reach, spacing));
    Eigen::MatrixXd bare(derivatives * points.size(), rule.nodes.size()), columns(rule.nodes.size(), values.cols());
    bare_race(points, sigma * rule.nodes.array(), derivatives, bare);
    hermite_columns(rule.nodes.array(), rule.weights.array(), columns);
    values.noalias() = bare * columns;
}

// E[lost^(d)(u + sigma z) He_n(z)] = int lost^(d)(y) He_n(z) phi(z) dy / sigma at z = (y - u) / sigma for
// d >= 1, where lost^(d) has bounded support in effect; d = 0 follows by parts, except its average.
void expand_wide(const Eigen::ArrayXd& points, double sigma, int derivatives, double accuracy, double tail,
                 Eigen::MatrixXd& values) {
    const Eigen::Index n = points.size(), terms = values.cols();
    const double low = std::log(tail), high = std::log(-std::log(tail));
    const double frequency = std::sqrt(static_cast<double>(terms)) / sigma;
    const double spacing = smoothing_spacing(1, accuracy, frequency);
    const auto count = static_cast<Eigen::Index>((high - low) / spacing) + 1;
    const Eigen::ArrayXd y = Eigen::ArrayXd::LinSpaced(count, high - spacing * static_cast<double>(count - 1), high);
    const int most = std::max(derivatives, 2);
    Eigen::MatrixXd bare(most * count, 1);
    bare_race(y, Eigen::ArrayXd::Zero(1), most, bare);
    const Eigen::MatrixXd slopes =
        bare.reshaped(count, most).rightCols(most - 1) * (spacing / sigma / std::sqrt(2 * pi));
    Eigen::MatrixXd columns(count, terms), sums(terms, most - 1);
    for (Eigen::Index a = 0; a < n; ++a) {
        const Eigen::ArrayXd z = (y - points[a]) / sigma;
        Eigen::ArrayXd start(count);
        for (Eigen::Index k = 0; k < count; ++k) start[k] = vector_exp(-z[k] * z[k] / 2);
        hermite_columns(z, start, columns);
        sums.noalias() = columns.transpose() * slopes;
        for (int d = 1; d < derivatives; ++d) values.row(d * n + a) = sums.col(d - 1).transpose();
        for (Eigen::Index k = 1; k < terms; ++k)
            values(a, k) = sigma / std::sqrt(static_cast<double>(k)) * sums(k - 1, 0);
    }
    Eigen::MatrixXd average(n, 1);
    smoothed_race(points, Eigen::ArrayXd::Zero(1), sigma, accuracy, tail, 1, average);
    values.col(0).head(n) = average;
}

}  // namespace

int expansion_terms(double correlation, double sigma1, double sigma2, double accuracy) {
    const double size = std::abs(correlation);
    if (size == 0 || sigma1 == 0 || sigma2 == 0) return 1;
    const double wanted = std::log(1 / accuracy);
    // |rho|^N exp(-decay sqrt(N)) = accuracy, a quadratic equation in sqrt(N).
    const double decay = pi / 2 * (1 / sigma1 + 1 / sigma2), loss = -std::log(size);
    const double root = 2 * wanted / (decay + std::sqrt(decay * decay + 4 * loss * wanted));
    return static_cast<int>(std::min(root * root, 1e6)) + 3;
}

RaceExpansion race_expansion(const Eigen::ArrayXd& points, double sigma, int derivatives, int terms, double accuracy,
                             double tail) {
    RaceExpansion expansion;
    expansion.values.resize(derivatives * points.size(), terms);
    if (sigma < wide)
        expand_narrow(points, sigma, derivatives, accuracy, tail, expansion.values);
    else
        expand_wide(points, sigma, derivatives, accuracy, tail, expansion.values);
    expansion.sizes = expansion.values.cwiseAbs().colwise().maxCoeff().transpose().array();
    return expansion;
}

}  // namespace lemmata
