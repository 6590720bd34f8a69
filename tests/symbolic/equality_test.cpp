#include <lemmata/symbolic/equality.hpp>

#include <catch2/catch.hpp>

using namespace lemmata::symbolic;
using GiNaC::ex;
using GiNaC::symbol;

TEST_CASE("equality of expressions is yes, no with a witness, or unknown") {
    const symbol x("x"), y("y");
    CHECK(equal(GiNaC::pow(x + y, 2), x * x + 2 * x * y + y * y).truth == Truth::yes);
    CHECK(equal((x * x - y * y) / (x - y), x + y).truth == Truth::yes);
    const Equality different = equal(x / y, y / x);
    REQUIRE(different.truth == Truth::no);
    CHECK_FALSE((x / y - y / x).subs(different.witness).is_zero());
    // True, but beyond a normal form of rational functions.
    CHECK(equal(GiNaC::pow(sin(x), 2) + GiNaC::pow(cos(x), 2), 1).truth == Truth::unknown);
}

TEST_CASE("a witness avoids poles") {
    const symbol x("x");
    const Equality different = equal(1 / (x - 3), 1 / (x - 5));
    REQUIRE(different.truth == Truth::no);
    CHECK_FALSE(different.witness.at(x).is_equal(3));
}
