#include <lemmata/normal_quantile.hpp>
#include <lemmata/random.hpp>

#include <boost/math/distributions/normal.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace lemmata;

TEST_CASE("numbers depend on seed, stream and index alone") {
    std::vector<double> all(100), part(37);
    fill_uniform(all, 7, Stream::samples, 0);
    for (const std::size_t first : {0U, 1U, 2U, 3U, 50U}) {
        fill_uniform(part, 7, Stream::samples, first);
        CHECK(std::equal(part.begin(), part.end(), all.begin() + static_cast<long>(first)));
    }
    std::vector<double> other(100);
    fill_uniform(other, 8, Stream::samples, 0);
    CHECK(other != all);
    fill_uniform(other, 7, Stream::padding, 0);
    CHECK(other != all);
}

TEST_CASE("uniform numbers never reach 0 or 1") {
    CHECK(open_unit(0) > 0);
    CHECK(open_unit(~std::uint64_t{0}) < 1);
}

TEST_CASE("normal numbers have the moments of a normal law") {
    std::vector<double> z(1'000'000);
    fill_normal(z, 1, Stream::samples, 0);
    const double n = static_cast<double>(z.size());
    double moment[7] = {};
    for (const double x : z)
        for (int k = 1; k <= 6; ++k) moment[k] += std::pow(x, k) / n;
    // Standard error of the k-th moment is sqrt((2k-1)!! - ((k-1)!!)^2 [k even]) / sqrt(n); five of
    // them are exceeded by one of these six with probability 4e-6 (fixed seed: once and for all).
    const double expected[] = {1, 0, 1, 0, 3, 0, 15};
    const double variance[] = {0, 1, 2, 15, 96, 945, 10170};
    for (int k = 1; k <= 6; ++k) CHECK(std::abs(moment[k] - expected[k]) < 5 * std::sqrt(variance[k] / n));
}

TEST_CASE("the normal quantile agrees with Boost's") {
    const boost::math::normal_distribution<long double> normal;
    std::vector<double> u;
    for (int k = 1; k < 2000; ++k) u.push_back(k / 2000.0);
    for (int k = 3; k <= 300; ++k) u.push_back(std::pow(10.0, -k));
    for (int k = 3; k <= 52; ++k) u.push_back(1 - std::pow(2.0, -k));
    std::vector<double> z = u;
    normal_quantile(z);
    for (std::size_t i = 0; i < u.size(); ++i) {
        const auto exact = static_cast<double>(quantile(normal, static_cast<long double>(u[i])));
        CAPTURE(u[i], z[i], exact);
        CHECK(std::abs(z[i] - exact) <= 2e-15 * std::abs(exact) + 1e-18);
    }
}
