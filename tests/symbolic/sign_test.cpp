#include <lemmata/symbolic/sign.hpp>

#include <catch2/catch.hpp>

using namespace lemmata::symbolic;

namespace {

const Symbols s;

Domain from(int tokens, int heads = 1) {
    return domain_of(builtin_activation("softmax-1", s), tokens, heads);
}

Sign sign(const GiNaC::ex& e, const Domain& domain) {
    const SignCertificate certificate = prove_sign(e, domain);
    CHECK(recheck(certificate));
    return certificate.sign;
}

}  // namespace

TEST_CASE("signs follow from shifted coefficients") {
    CHECK(sign(s.L - 2, from(3)) == Sign::positive);
    CHECK(sign(s.L - 2, from(2)) == Sign::nonnegative);
    CHECK(sign(2 - s.L, from(3)) == Sign::negative);
    CHECK(sign((s.L - 1) * (s.L - 2) / (s.H * s.L), from(3)) == Sign::positive);
    CHECK(sign(s.L - 2 + s.B, from(2)) == Sign::positive);  // B > 0 is not attained
    CHECK(sign(GiNaC::ex(0), from(2)) == Sign::zero);
    CHECK(sign(GiNaC::pow(s.B - 1, 2), from(2)) == Sign::nonnegative);
}

TEST_CASE("signs follow from Sturm chains and from cases") {
    // No zero on the real line, though its shifted coefficients differ in sign.
    const SignCertificate sturm = prove_sign(s.B * s.B - s.B + 1, from(2));
    CHECK(sturm.sign == Sign::positive);
    CHECK(sturm.factors.at(0).cases.at(0).method == SignMethod::sturm);
    CHECK(recheck(sturm));
    // L^2 - 6 L + 10 + B (L - 3)^2: positive, but only shown by taking L = 2, 3, ... one by one.
    const GiNaC::ex e = (s.L * s.L - 6 * s.L + 10 + s.B * GiNaC::pow(s.L - 3, 2)).expand();
    const SignCertificate cases = prove_sign(e, from(2));
    CHECK(cases.sign == Sign::positive);
    CHECK(cases.factors.at(0).cases.size() > 1);
    CHECK(recheck(cases));
}

TEST_CASE("a sign that changes is shown by two points") {
    const SignCertificate c = prove_sign((s.L - 5) / s.H, from(2));
    REQUIRE(c.sign == Sign::changes);
    CHECK(recheck(c));
    const auto runs = sign_by_tokens((s.L - 5) * (s.L - 6) / s.H, from(2), s.L);
    REQUIRE(runs.size() == 3);
    CHECK(runs[0].first == 2);
    CHECK(runs[0].last == 4);
    CHECK(runs[0].certificate.sign == Sign::positive);
    CHECK(runs[1].first == 5);
    CHECK(runs[1].certificate.sign == Sign::zero);
    CHECK(runs[2].first == 7);
    CHECK(runs[2].last == 0);
}

TEST_CASE("the condition behind a sign that changes is the one factor that decides") {
    const SignCertificate c = prove_sign((s.L - 1) * (6 * s.L - s.L * s.L * s.V) / s.H, from(2));
    REQUIRE(c.sign == Sign::changes);
    const auto decides = deciding_polynomial(c);
    REQUIRE(decides);
    CHECK((*decides + s.L * s.V - 6).expand().is_zero());
    CHECK_FALSE(deciding_polynomial(prove_sign((s.B - 1) * (s.v - 1), from(2))));  // two factors are open
}

TEST_CASE("what cannot be shown is unknown") {
    // Positive (a square plus 1), but beyond all three methods: two continuous variables.
    const GiNaC::ex hard = (GiNaC::pow(s.B - s.v, 2) + 1).expand();
    CHECK(prove_sign(hard, from(2)).sign == Sign::unknown);
    // A denominator that may vanish.
    CHECK(prove_sign(1 / (s.L - 2), from(2)).sign == Sign::unknown);
    // A symbol without a range.
    CHECK(prove_sign(GiNaC::ex(GiNaC::symbol("free") + 1), from(2)).sign != Sign::positive);
}

TEST_CASE("a forged certificate is noticed") {
    SignCertificate c = prove_sign(s.L - 2, from(3));
    REQUIRE(recheck(c));
    SignCertificate range = c;
    range.domain = from(2);
    CHECK_FALSE(recheck(range));
    SignCertificate claim = c;
    claim.sign = Sign::negative;
    CHECK_FALSE(recheck(claim));
    SignCertificate other = c;
    other.expression = s.L - 4;
    CHECK_FALSE(recheck(other));
    SignCertificate shifted = c;
    shifted.factors[0].cases[0].shifted = s.L + 7;
    CHECK_FALSE(recheck(shifted));
}
