#include <lemmata/error.hpp>
#include <lemmata/fit.hpp>
#include <lemmata/random.hpp>

#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;

namespace {

Eigen::VectorXd normals(Eigen::Index count, std::uint64_t seed) {
    Eigen::VectorXd x(count);
    fill_normal({x.data(), static_cast<std::size_t>(count)}, seed, Stream::search, 0);
    return x;
}

}  // namespace

TEST_CASE("a line through points on a line is that line") {
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(5, -1, 3);
    const LineFit fit = fit_line(x, 2.5 * x.array() - 1);
    CHECK(fit.slope.value == Approx(2.5));
    CHECK(fit.intercept.value == Approx(-1));
    CHECK(fit.slope.error < 1e-14);
    CHECK_THROWS_AS(fit_line(x.head(2), x.head(2)), InvalidInput);
    CHECK_THROWS_AS(fit_line(x, x.head(3)), InvalidInput);
    CHECK_THROWS_AS(fit_line(Eigen::Vector3d(1, 1, 1), Eigen::Vector3d(1, 2, 3)), InvalidInput);
}

TEST_CASE("errors of fits are of the size of the errors made") {
    // 200 lines with noise: the slope's error over the error stated has variance near 1 once the
    // widening is taken out; for 30 points that is a factor 1.19.
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(30, 0, 1);
    double squares = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const LineFit fit = fit_line(x, 3 * x + 0.1 * normals(30, seed));
        squares += std::pow((fit.slope.value - 3) / fit.slope.error, 2) / 200;
    }
    CHECK(squares > 0.45);  // expected 0.76; standard deviation over 200 about 0.08
    CHECK(squares < 1.1);
    double mean_squares = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Estimate mean = mean_of((normals(8, seed).array() + 5).matrix());
        mean_squares += std::pow((mean.value - 5) / mean.error, 2) / 200;
    }
    // Student's t with 7 degrees has variance 7/5; the widening is t(4 sigma)/4 = 2.2.
    CHECK(mean_squares == Approx(1.4 / (2.2 * 2.2)).epsilon(0.4));
    CHECK_THROWS_AS(mean_of(Eigen::VectorXd::Ones(1)), InvalidInput);
}

TEST_CASE("a weighted fit recovers its model and judges it") {
    Eigen::MatrixXd columns(40, 2);
    columns.col(0) = Eigen::VectorXd::LinSpaced(40, 1, 5).cwiseInverse();
    columns.col(1).setOnes();
    const Eigen::VectorXd errors = Eigen::VectorXd::LinSpaced(40, 0.01, 0.1);
    const Eigen::VectorXd y = columns * Eigen::Vector2d(2, 0.5) + errors.cwiseProduct(normals(40, 3));
    const LinearFit fit = fit_linear(columns, y, errors);
    CHECK(std::abs(fit.coefficients[0] - 2) < 4 * fit.errors[0]);
    CHECK(std::abs(fit.coefficients[1] - 0.5) < 4 * fit.errors[1]);
    CHECK(fit.degrees == 38);
    CHECK(fit.chi_squared / 38 < 2);                                          // 38 degrees: 4 sigmas above 1
    CHECK(fit_linear(columns.rightCols(1), y, errors).chi_squared / 39 > 5);  // a wrong model shows
}

TEST_CASE("few measurements widen an error, many do not") {
    // Quantiles of Student's t at the one-sided probability of four sigmas, 3.167e-5, over 4: one degree is
    // cot(pi p) in closed form.
    CHECK(student_widening(1) == Approx(1 / std::tan(3.141592653589793 * 3.167124183311992e-5) / 4).epsilon(1e-9));
    CHECK(student_widening(1e6) == Approx(1).epsilon(1e-4));
    CHECK(student_widening(3) > student_widening(9));
    CHECK(std::isinf(student_widening(0)));
}
