#include <lemmata/error.hpp>
#include <lemmata/point_law.hpp>

#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;

TEST_CASE("points between grid cells keep their transform") {
    const RaceGrid lattice{-45, 0.25, 300};
    for (const double at : {0.0, 0.0123, 1.77, -13.031, 20.0449}) {
        PointLaw law;
        law.add(at, 1);
        const RaceTransform t = law.transform(lattice);
        for (int j = 0; j < lattice.count; ++j) {
            const double y = std::exp(lattice.at(j) + at);
            if (y > 20) continue;  // the survival is then below what a race can feel
            CHECK(std::abs(std::expm1(t.log_survival[j]) / std::expm1(-y) - 1) < 2e-13);
            CHECK(std::abs(t.first[j] - y * std::exp(-y)) < 2e-13 * y / (1 + y));
            CHECK(std::abs(t.second[j] - y * y * std::exp(-y)) < 4e-13 * y / (1 + y));
        }
    }
}

TEST_CASE("point laws add and scale") {
    PointLaw a, b, both;
    a.add(0.3, 0.5);
    b.add(-1, 1);
    both.add(0.3, 0.25);
    both.add(-1, 0.5);
    a += b;
    a *= 0.5;
    const RaceGrid lattice{-2, 0.5, 8};
    CHECK((a.transform(lattice).first - both.transform(lattice).first).abs().maxCoeff() < 1e-15);
    CHECK_THROWS_AS(a.transform({0.01, 0.25, 3}), InvalidInput);
}
