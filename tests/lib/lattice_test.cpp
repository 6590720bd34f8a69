#include <lemmata/error.hpp>
#include <lemmata/lattice.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>

using namespace lemmata;

namespace {

template <typename F>
double apply(const QuadratureRule& rule, F f) {
    double sum = 0;
    for (Eigen::Index i = 0; i < rule.nodes.size(); ++i) sum += rule.weights[i] * f(rule.nodes[i]);
    return sum;
}

}  // namespace

TEST_CASE("a lattice integrates entire functions of a Gaussian to rounding") {
    const QuadratureRule rule = gaussian_lattice(0.5, 10);
    CHECK(std::abs(apply(rule, [](double) { return 1.0; }) - 1) < 1e-15);
    CHECK(std::abs(apply(rule, [](double z) { return z * z; }) - 1) < 1e-15);
    CHECK(std::abs(apply(rule, [](double z) { return std::cos(2 * z); }) - std::exp(-2)) < 1e-15);
}

TEST_CASE("the lattice's error bound holds and is not idle") {
    // f(z) = 1/(1 + z^2/4) has poles at +-2i; in |Im z| <= 1 it is at most 4/3.
    const auto f = [](double z) { return 1 / (1 + z * z / 4); };
    const double exact = apply(gaussian_lattice(0.05, 12), f);  // bound 1e-53 + rounding
    for (const double h : {2.0, 1.5, 1.0, 0.7, 0.5, 0.4}) {
        const double error = std::abs(apply(gaussian_lattice(h, 12), f) - exact);
        const double bound = 4.0 / 3 * gaussian_lattice_error(h, 12, 1);
        CAPTURE(h, error, bound);
        CHECK(error <= bound + 1e-15);
    }
    // A bound a thousand times smaller would be wrong: the check above can fail.
    const double error = std::abs(apply(gaussian_lattice(2, 12), f) - exact);
    CHECK(error > 4.0 / 3 * gaussian_lattice_error(2, 12, 1) / 1000);
}

TEST_CASE("lattices that make no sense are refused") {
    CHECK_THROWS_AS(gaussian_lattice(0, 5), InvalidInput);
    CHECK_THROWS_AS(gaussian_lattice(-1, 5), InvalidInput);
    CHECK_THROWS_AS(gaussian_lattice(1, 0.5), InvalidInput);
    CHECK_THROWS_AS(gaussian_lattice(1e-9, 5), InvalidInput);
    CHECK_THROWS_AS(gaussian_lattice(std::nan(""), 5), InvalidInput);
}
