#include <lemmata/head_groups.hpp>

#include <catch2/catch.hpp>

using namespace lemmata;

TEST_CASE("heads that are close, or linked by others, form a group", "[head_groups]") {
    Eigen::MatrixXd m(5, 2);
    m << 1, 0, -1, 0, 1.1, 0, 1.2, 0, 0, 3;
    CHECK(head_groups(m, 0.15) == std::vector{0, 1, 0, 0, 2});
    CHECK(group_count(head_groups(m, 0.15)) == 3);
    CHECK(group_count(head_groups(m, 0.05)) == 5);
    CHECK(group_count(head_groups(m, 10)) == 1);
    CHECK(group_count({}) == 0);
}

TEST_CASE("sign patterns are those of heads that have learnt every feature", "[head_groups]") {
    Eigen::MatrixXd m(5, 2);
    m << 1, 1, 1, -1, -1, 1, -1, -1, -2, -2;
    CHECK(sign_patterns(m, 0.5) == 4);
    m(1, 1) = -0.1;  // not learnt: that pattern is gone
    CHECK(sign_patterns(m, 0.5) == 3);
    CHECK(sign_patterns(m, 0.05) == 4);
    CHECK(sign_patterns(m, 1.5) == 1);
}

TEST_CASE("the split is even up to an odd head", "[head_groups]") {
    Eigen::MatrixXd m(5, 2);
    m << 1, 1, 1, 1, -1, 1, -1, 1, -2, -2;
    CHECK(imbalance(m, 0) == 1);
    CHECK(imbalance(m, 1) == 3);
}

TEST_CASE("purity tells single directions from mixtures", "[head_groups]") {
    Eigen::MatrixXd m(3, 2);
    m << 0, -2, 3, 4, 0, 0;
    const Eigen::VectorXd p = purity(m);
    CHECK(p[0] == 1);
    CHECK(p[1] == Approx(0.8));
    CHECK(p[2] == 0);
}
