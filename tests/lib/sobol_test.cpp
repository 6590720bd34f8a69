#include <lemmata/error.hpp>
#include <lemmata/sobol.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

using namespace lemmata;

namespace {

std::vector<double> points(const SobolPoints& sobol, std::uint64_t replicate, std::uint64_t first, std::size_t count) {
    std::vector<double> out(static_cast<std::size_t>(sobol.dimension()) * count);
    sobol.fill(out, replicate, first, count);
    return out;
}

}  // namespace

TEST_CASE("each coordinate of 2^k shifted Sobol points has one point per cell") {
    const SobolPoints sobol(20, 3);
    for (const std::uint64_t first : {0U, 64U, 640U}) {
        const std::vector<double> u = points(sobol, 5, first, 64);
        for (int d = 0; d < 20; ++d) {
            std::vector<int> cell(64, 0);
            for (std::size_t i = 0; i < 64; ++i)
                ++cell[static_cast<std::size_t>(u[static_cast<std::size_t>(d) * 64 + i] * 64)];
            CHECK(std::all_of(cell.begin(), cell.end(), [](int n) { return n == 1; }));
        }
    }
}

TEST_CASE("the first two coordinates form a two-dimensional net") {
    const std::vector<double> u = points(SobolPoints(2, 1), 0, 0, 64);
    std::vector<int> cell(64, 0);
    for (std::size_t i = 0; i < 64; ++i)
        ++cell[static_cast<std::size_t>(u[i] * 8) * 8 + static_cast<std::size_t>(u[64 + i] * 8)];
    CHECK(std::all_of(cell.begin(), cell.end(), [](int n) { return n == 1; }));
}

TEST_CASE("Sobol points can be drawn in any pieces") {
    const SobolPoints sobol(7, 11);
    const std::vector<double> all = points(sobol, 2, 0, 100);
    for (const std::uint64_t first : {0U, 1U, 13U, 64U}) {
        const std::vector<double> part = points(sobol, 2, first, 10);
        for (std::size_t d = 0; d < 7; ++d)
            for (std::size_t i = 0; i < 10; ++i) CHECK(part[d * 10 + i] == all[d * 100 + first + i]);
    }
    CHECK(points(sobol, 3, 0, 100) != all);
    CHECK(points(SobolPoints(7, 12), 2, 0, 100) != all);
}

TEST_CASE("coordinates beyond the generator's are padded, not repeated") {
    const SobolPoints sobol(max_sobol_dimension + 3, 1);
    CHECK(sobol.padded() == 3);
    CHECK(SobolPoints(max_sobol_dimension, 1).padded() == 0);
    constexpr std::size_t count = 8;
    const std::vector<double> u = points(sobol, 0, 0, count);
    std::vector<std::vector<double>> coordinates;
    for (std::size_t d = 0; d < u.size() / count; ++d)
        coordinates.emplace_back(u.begin() + static_cast<long>(d * count),
                                 u.begin() + static_cast<long>((d + 1) * count));
    std::sort(coordinates.begin(), coordinates.end());
    CHECK(std::adjacent_find(coordinates.begin(), coordinates.end()) == coordinates.end());
    CHECK_THROWS_AS(SobolPoints(0, 1), InvalidInput);
}
