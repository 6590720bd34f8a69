#include <lemmata/error.hpp>
#include <lemmata/fit.hpp>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace lemmata {
namespace {

void require(const char* field, Eigen::Index given, Eigen::Index least) {
    if (given < least)
        throw InvalidInput(field, fmt::format("{} measurements", given), fmt::format("at least {}", least));
}

}  // namespace

double student_widening(double degrees) {
    if (!(degrees >= 1)) return std::numeric_limits<double>::infinity();
    const double tail = cdf(boost::math::normal_distribution<>(), -4.0);
    return -quantile(boost::math::students_t_distribution<>(degrees), tail) / 4;
}

LineFit fit_line(const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
    require("x", x.size(), 3);
    if (y.size() != x.size())
        throw InvalidInput("y", fmt::format("{} measurements", y.size()), fmt::format("{}, one for each x", x.size()));
    const double count = static_cast<double>(x.size());
    const Eigen::VectorXd offset = x.array() - x.mean();
    const double width = offset.squaredNorm();
    if (!(width > 0)) throw InvalidInput("x", "all the same", "different values");
    const double slope = offset.dot(y) / width;
    const double intercept = y.mean() - slope * x.mean();
    const double variance = (y - (slope * x.array() + intercept).matrix()).squaredNorm() / (count - 2);
    const double widened = student_widening(count - 2);
    return {
        {slope, widened * std::sqrt(variance / width), ErrorKind::standard},
        {intercept, widened * std::sqrt(variance * (1 / count + x.mean() * x.mean() / width)), ErrorKind::standard}};
}

LinearFit fit_linear(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y, const Eigen::VectorXd& errors) {
    require("y", y.size(), columns.cols());
    const Eigen::VectorXd weights = errors.cwiseInverse();
    const Eigen::MatrixXd scaled = weights.asDiagonal() * columns;
    const Eigen::VectorXd target = weights.cwiseProduct(y);
    const Eigen::MatrixXd covariance =
        (scaled.transpose() * scaled).ldlt().solve(Eigen::MatrixXd::Identity(columns.cols(), columns.cols()));
    LinearFit fit;
    fit.coefficients = covariance * (scaled.transpose() * target);
    fit.errors = covariance.diagonal().cwiseSqrt();
    fit.chi_squared = (scaled * fit.coefficients - target).squaredNorm();
    fit.degrees = static_cast<int>(y.size() - columns.cols());
    return fit;
}

Estimate mean_of(const Eigen::VectorXd& measurements) {
    require("measurements", measurements.size(), 2);
    const double count = static_cast<double>(measurements.size());
    const double mean = measurements.mean();
    const double variance = (measurements.array() - mean).square().sum() / (count - 1);
    return {mean, student_widening(count - 1) * std::sqrt(variance / count), ErrorKind::standard};
}

}  // namespace lemmata
