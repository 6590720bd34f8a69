#include <lemmata/symbolic/bayes_posterior.hpp>

#include <catch2/catch.hpp>

using namespace lemmata::symbolic;

TEST_CASE("the Bayes posterior follows by completing the square") {
    const PosteriorDerivation d = derive_posterior();
    CHECK(d.likelihood.truth == Truth::yes);
    CHECK(d.square.truth == Truth::yes);
    CHECK(d.exponent.truth == Truth::yes);
    CHECK(d.determinant.truth == Truth::yes);
    // Equation (16) as printed has |theta|^2: not the posterior at finite dimension.
    CHECK(d.printed.truth == Truth::no);
    CHECK_FALSE(d.printed.witness.empty());
}
