// The exact gradient against the reference path in 50 digits, where a difference quotient has no rounding.
#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_reference.hpp>
#include <lemmata/random.hpp>

#include <oneapi/tbb/parallel_for.h>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;
using Digits50 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;

namespace {

struct Corner {
    std::string name;
    Problem problem;
    State state;
};

State heads(const Eigen::MatrixXd& m, const Eigen::MatrixXd& r, const Eigen::VectorXd& b, double v) {
    return {m, r, b, v};
}

std::vector<Corner> corners() {
    using Two = Eigen::Vector2d;
    const auto one = [](double x) { return Eigen::MatrixXd::Constant(1, 1, x).eval(); };
    const auto gaussian = [](double variance) { return Prior::gaussian(Eigen::VectorXd::Constant(1, variance)); };
    const Eigen::Matrix2d none = Eigen::Matrix2d::Zero(), small = 1e-3 * Eigen::Matrix2d::Identity();
    const Eigen::Matrix2d full = (Eigen::Matrix2d() << 0.5, 0.2, -0.3, 0.4).finished();
    const Two zero = Two::Zero();
    const auto softmax = Activation::softmax, softmax_1 = Activation::softmax_1;
    return {
        {"equal heads, r = 0", {softmax, 5, gaussian(2)}, heads(Two(0.6, 0.6), none, zero, 1)},
        {"opposite heads, L = 3", {softmax, 3, Prior::spike(1)}, heads(Two(0.5, -0.5), none, zero, 1)},
        {"nearly equal heads", {softmax_1, 3, Prior::spike(2)}, heads(Two(0.7, 0.700001), small, Two(0.3, -1), 1.3)},
        {"one head, L = 2", {softmax, 2, gaussian(1)}, heads(one(0.8), one(0.4), one(0), 1)},
        {"one head, L = 3", {softmax, 3, gaussian(1)}, heads(one(-0.5), one(1e-3), one(0), 1)},
        {"large biases", {softmax_1, 5, Prior::spike(2)}, heads(Two(0.4, -0.6), full, Two(12, -15), 1.9)},
        {"m = r = 0", {softmax, 5, Prior::spike(3)}, heads(Two(0, 0), none, zero, 1)},
        {"m = r = 0, softmax-1, L = 2", {softmax_1, 2, Prior::spike(1)}, heads(one(0), one(0), one(-2), 0.3)},
        {"one head, L = 1e6", {softmax_1, 1'000'000, gaussian(3)}, heads(one(1), one(0.5), one(14), 1.2)},
        {"one strong head", {softmax, 5, Prior::spike(10)}, heads(one(1.5), one(0.3), one(0), 1)},
        {"one head, L = 2, large bias", {softmax_1, 2, Prior::spike(10)}, heads(one(1.5), one(0), one(20), 1)},
    };
}

// Step 1e-12 leaves 1e-24 of the third derivative. The lattices move smoothly with the state, so their error, about
// 10^-digits, is differentiated and not divided by the step; if their number of nodes changed in between, the
// quotient would be off by 10^(12-digits) and nothing would agree. One head is cheap, so it gets more digits: at
// 12 the last corner's derivative in m, 7e-6, is known to 3e-10 only.
double directional_derivative(const Problem& problem, const State& state, const Eigen::VectorXd& direction) {
    const State along = unflatten(direction, state.heads(), state.features());
    const auto at = [&](const Digits50& t) {
        StateOf<Digits50> moved = state_of<Digits50>(state);
        const StateOf<Digits50> change = state_of<Digits50>(along);
        moved.m += t * change.m;
        moved.r += t * change.r;
        moved.b += t * change.b;
        moved.v += t * change.v;
        return loss_reference(problem, moved, state.heads() == 1 ? 16.0 : 10.0);
    };
    const Digits50 step("1e-12");
    return static_cast<double>((at(step) - at(-step)) / (2 * step));
}

}  // namespace

TEST_CASE("the exact gradient agrees with the reference path in 50 digits") {
    const std::vector<Corner> list = corners();
    std::vector<double> expected(list.size());
    std::vector<Eigen::VectorXd> directions(list.size());
    tbb::parallel_for(std::size_t{0}, list.size(), [&](std::size_t k) {
        Eigen::VectorXd& direction = directions[k];
        direction.resize(flatten(list[k].state).size());
        fill_normal({direction.data(), static_cast<std::size_t>(direction.size())}, k, Stream::search, 0);
        expected[k] = directional_derivative(list[k].problem, list[k].state, direction);
    });
    for (std::size_t k = 0; k < list.size(); ++k) {
        INFO(list[k].name);
        const GradientEstimate estimate = *loss_exact(list[k].problem, list[k].state, {1e-9, true}).gradient;
        const Eigen::VectorXd gradient = flatten(estimate.value), error = flatten(estimate.error);
        const double distance = std::abs(gradient.dot(directions[k]) - expected[k]);
        const double reference_error = 1e-11;
        CHECK(distance <= 1e-8 * gradient.cwiseAbs().maxCoeff() + reference_error);
        CHECK(distance <= error.dot(directions[k].cwiseAbs()) + reference_error);
        // The control: a gradient off by a millionth of its largest entry is noticed.
        Eigen::Index largest = 0;
        Eigen::VectorXd wrong = gradient;
        wrong.cwiseProduct(directions[k]).cwiseAbs().maxCoeff(&largest);
        wrong[largest] *= 1 + 1e-6;
        CHECK(std::abs(wrong.dot(directions[k]) - expected[k]) > 2e-8 * gradient.cwiseAbs().maxCoeff());
    }
}
