#include <lemmata/race.hpp>

#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;

namespace {

// E[1 - g(x + s Z)] as a distribution function: 1 - g is that of log Exp(1), so with a midpoint rule for the
// exponential time's quantiles v it is the average of Phi((x - log(-log v)) / s). Error below 1e-9 for s >= 20.
double by_quantiles(double x, double s) {
    constexpr int count = 20'000;
    double sum = 0;
    for (int k = 0; k < count; ++k) {
        const double v = (k + 0.5) / count;
        sum += std::erfc(-(x - std::log(-std::log(v))) / (s * std::sqrt(2.0))) / 2;
    }
    return sum / count;
}

Eigen::MatrixXd evaluate(const Eigen::ArrayXd& points, const Eigen::ArrayXd& shifts, double s) {
    Eigen::MatrixXd values(3 * points.size(), shifts.size());
    smoothed_race(points, shifts, s, 1e-13, 1e-20, 3, values);
    return values;
}

}  // namespace

// A block of nodes shares the exponentials of its scores. With nodes hundreds of units apart these once left the
// range of a double, and opposite heads of width 256 lost their digits.
TEST_CASE("race functions of wide laws do not depend on which points are computed together") {
    for (const double s : {0.3, 5.0, 60.0, 256.0, 3000.0, 1e4}) {
        INFO("s = " << s);
        const Eigen::ArrayXd points = Eigen::ArrayXd::LinSpaced(90, -9 * s - 40, 9 * s + 5);
        const Eigen::ArrayXd shifts = s * Eigen::ArrayXd::LinSpaced(41, -4, 4);
        const Eigen::MatrixXd together = evaluate(points, shifts, s);
        const double none = 0;
        double largest = 0;
        for (Eigen::Index a = 0; a < points.size(); a += 7)
            for (Eigen::Index k = 0; k < shifts.size(); k += 5) {
                const Eigen::MatrixXd alone =
                    evaluate(Eigen::ArrayXd::Constant(1, points[a] + shifts[k]), Eigen::ArrayXd::Constant(1, none), s);
                for (Eigen::Index d = 0; d < 3; ++d)
                    largest = std::max(largest, std::abs(together(d * points.size() + a, k) - alone(d, 0)));
                if (s > 20) CHECK(alone(0, 0) == Approx(by_quantiles(points[a] + shifts[k], s)).margin(1e-6));
            }
        CHECK(largest < 1e-12);
    }
}
