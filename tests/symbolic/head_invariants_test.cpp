#include <lemmata/symbolic/head_invariants.hpp>

#include <catch2/catch.hpp>

using namespace lemmata::symbolic;

TEST_CASE("set partitions are counted by Bell numbers") {
    const std::size_t bell[] = {1, 1, 2, 5, 15, 52};
    for (int n = 0; n <= 5; ++n) CHECK(set_partitions(n).size() == bell[n]);
}

TEST_CASE("a tensor that is 1 on equal indices is a trace") {
    const auto equal_heads = [](const std::vector<int>& h) -> GiNaC::ex { return h[0] == h[1] ? 1 : 0; };
    const auto terms = head_invariants({{"q", 2}}, equal_heads);
    REQUIRE(terms.size() == 2);
    CHECK(terms.at("q_aa").is_equal(1));
    CHECK(terms.at("q_ab").is_zero());
}

TEST_CASE("monomials that mean the same are one") {
    const auto one = [](const std::vector<int>&) -> GiNaC::ex { return 1; };
    const auto qq = head_invariants({{"q", 2}, {"q", 2}}, one);
    CHECK(qq.size() == 7);
    const auto qM = head_invariants({{"q", 2}, {"M", 2}}, one);
    CHECK(qM.size() == 9);
    const auto uw = head_invariants({{"u", 1}, {"u", 1}, {"w", 1}, {"w", 1}}, one);
    CHECK(uw.size() == 9);
    // The constant tensor is the product of plain sums.
    for (const auto& [monomial, coefficient] : uw) CHECK(coefficient.is_equal(monomial == "u_a u_b w_c w_d" ? 1 : 0));
}
