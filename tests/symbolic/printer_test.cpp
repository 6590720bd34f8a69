#include <lemmata/symbolic/printer.hpp>
#include <lemmata/symbolic/symbols.hpp>

#include <catch2/catch.hpp>

#include <random>

using namespace lemmata::symbolic;

TEST_CASE("closed forms are printed as a person would write them") {
    const Symbols s;
    const GiNaC::ex c3 = (s.L - 1) * (1 - 2 / s.L) / (s.H * s.L * s.L);
    CHECK(print(c3) == "(L - 1)*(L - 2)/(L^3*H)");
    CHECK(print(c3, Notation::latex) == "\\frac{(L - 1) (L - 2)}{L^{3} H}");
    CHECK(print(c3, Notation::c) == "(L - 1.0)*(L - 2.0)/(L*L*L*H)");
    CHECK(print(GiNaC::ex(0)) == "0");
    CHECK(print(GiNaC::numeric(-3, 4)) == "-3/4");
    CHECK(print(s.L - 1) == "L - 1");
    CHECK(print(1 - s.L) == "-(L - 1)");
    CHECK(print(3 * s.L - 3) == "3*(L - 1)");
    CHECK(print(1 / (s.L + s.B)) == "1/(L + B)");
    CHECK(print((s.L + 1) / s.H, Notation::latex) == "\\frac{L + 1}{H}");
    CHECK(print(GiNaC::pow(s.L + s.B, -2), Notation::c) == "1.0/((L + B)*(L + B))");
    CHECK(print(s.W * s.V / 2) == "V*W/2");
    CHECK(print(GiNaC::exmap{{s.H, 1}, {s.L, 3}, {s.B, GiNaC::numeric(1, 2)}}) == "L = 3, H = 1, B = 1/2");
}

TEST_CASE("printing does not depend on how the expression was made") {
    // GiNaC orders terms by the order in which symbols were created, among other things.
    const std::string expected = "(L + B - 2)^2*(L*V + W)/(2*H^2*(L + B)^4)";
    for (int shuffle = 0; shuffle < 6; ++shuffle) {
        std::vector<std::string> names{"L", "H", "B", "V", "W"};
        std::shuffle(names.begin(), names.end(), std::mt19937(unsigned(shuffle)));
        std::map<std::string, GiNaC::ex> s;
        for (const std::string& name : names) s[name] = GiNaC::symbol(name);
        const GiNaC::ex e = GiNaC::pow(s["L"] + s["B"] - 2, 2).expand() * (s["W"] + s["V"] * s["L"]) /
                            (2 * GiNaC::pow(s["H"], 2) * GiNaC::pow(s["B"] + s["L"], 4).expand());
        CHECK(print(e) == expected);
    }
}

TEST_CASE("a factored form multiplies back") {
    const Symbols s;
    const GiNaC::ex e = (6 * s.L * s.L - 6) / (4 * s.H) * GiNaC::pow(1 - s.B, 3) / (s.v * s.v - 1);
    CHECK((expression(factored(e)) - e).normal().is_zero());
}
