#include <lemmata/orthogonal_groups.hpp>

#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;

TEST_CASE("spikes fall apart into single features") {
    const auto groups = orthogonal_groups(Prior::spikes(5, 3));
    REQUIRE(groups.size() == 5);
    for (const auto& g : groups) {
        CHECK(g.weight == Approx(0.2));
        CHECK(g.prior.features() == 1);
        CHECK(std::abs(g.prior.mean()[0]) == Approx(std::sqrt(3.0)));
    }
}

TEST_CASE("the flipping spike falls apart only when its atoms are orthogonal") {
    CHECK(orthogonal_groups(Prior::flipping_spike(2, 2)).size() == 2);
    const auto joined = orthogonal_groups(Prior::flipping_spike(2, 2.1));
    REQUIRE(joined.size() == 1);
    CHECK(joined[0].prior.features() == 2);
}

TEST_CASE("groups are given in their own dimension") {
    const Eigen::Vector3d a(1, 1, 0), b(-2, -2, 0), c(0, 0, 1);
    const Eigen::Matrix3d zero = Eigen::Matrix3d::Zero();
    const Prior prior = Prior::mixture(
        {{0.2, a, zero}, {0.1, b, zero}, {0.3, c, zero}, {0.2, Eigen::Vector3d::Zero(), zero}, {0.2, c, zero}});
    const auto groups = orthogonal_groups(prior);
    REQUIRE(groups.size() == 3);
    CHECK(groups[0].prior.features() == 1);
    CHECK(groups[0].prior.components().size() == 2);
    CHECK(groups[0].weight == Approx(0.3));
    CHECK(groups[1].weight == Approx(0.5));  // equal atoms merged
    CHECK(groups[1].prior.components().size() == 1);
    CHECK(groups[2].prior.mean().norm() == 0);
}
