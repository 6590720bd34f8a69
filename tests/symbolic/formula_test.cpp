#include <lemmata/error.hpp>
#include <lemmata/symbolic/formula.hpp>

#include <catch2/catch.hpp>

using namespace lemmata::symbolic;
using Catch::Matchers::Contains;

namespace {

const Symbols symbols;

FormulaContext context() {
    FormulaContext result;
    result.field = "test";
    result.symbols = {{"L", symbols.L}, {"H", symbols.H}, {"x", symbols.x}};
    result.tokens = symbols.L;
    result.heads = symbols.H;
    return result;
}

GiNaC::ex value(const std::string& text) {
    return evaluate(parse_formula(text, "test"), context());
}

std::string message(const std::string& text) {
    try {
        value(text);
    } catch (const lemmata::InvalidInput& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("formulas are read with the usual precedence") {
    CHECK(value("1 + 2*3^2").is_equal(19));
    CHECK(value("-2^2").is_equal(-4));
    CHECK(value("2^-1 - -1").is_equal(GiNaC::numeric(3, 2)));
    CHECK(value("8/4/2").is_equal(1));
    CHECK(value("0.125").is_equal(GiNaC::numeric(1, 8)));
    CHECK((value("exp(x)*L") - GiNaC::exp(symbols.x) * symbols.L).is_zero());
}

TEST_CASE("a formula survives being written and read") {
    for (const std::string original :
         {"1/H^2*sum(l, l'; sum(h; s(h, l; 1 l'))^2)", "-(L - 1)*(x - (H - 2))", "s(h, l; h l, h' l')/2", "(L/H)^3",
          "delta(l, 1) - exp(-x)", "L/(H/x)", "-L^2", "(-L)^2", "2*-x"}) {
        const Formula formula = parse_formula(original, "test");
        INFO(original << " -> " << text(formula));
        CHECK(parse_formula(text(formula), "test") == formula);
    }
}

TEST_CASE("sums over tokens and heads are sums over patterns") {
    CHECK((value("sum(l; 1)") - symbols.L).expand().is_zero());
    CHECK((value("sum(l, h; 1)") - symbols.L * symbols.H).expand().is_zero());
    CHECK((value("sum(l, l'; delta(l, l'))") - symbols.L).expand().is_zero());
    CHECK((value("sum(l, l', l''; delta(l, l')*delta(l', l''))") - symbols.L).expand().is_zero());
    CHECK((value("sum(l, l'; 1 - delta(l, l'))") - symbols.L * (symbols.L - 1)).expand().is_zero());
    CHECK((value("sum(l; 1 - delta(l, 1) - delta(l, 3))") - symbols.L + 2).expand().is_zero());
    // An inner index hides an outer one of the same name, and gives it back.
    CHECK((value("sum(l; delta(l, 1)*sum(l; delta(l, 2))*(1 - delta(l, 2)))") - 1).expand().is_zero());
}

TEST_CASE("bad formulas are refused with their column") {
    CHECK_THAT(message("L + y"), Contains("unknown symbol \"y\" at column 5") && Contains("H, L, x"));
    CHECK_THAT(message("system(L)"), Contains("unknown function \"system\" at column 1"));
    CHECK_THAT(message("(L + 1"), Contains("the end at column 7; expected ')'"));
    CHECK_THAT(message("L + 1)"), Contains("')' at column 6"));
    CHECK_THAT(message("L +"), Contains("the end at column 4"));
    CHECK_THAT(message(""), Contains("the end at column 1"));
    CHECK_THAT(message("1/(L - L)"), Contains("division by zero at column 2"));
    CHECK_THAT(message("1/0"), Contains("division by zero at column 2"));
    CHECK_THAT(message("0^-1"), Contains("division by zero at column 2"));
    CHECK_THAT(message("log(0)"), Contains("a pole of log at column 1"));
    CHECK_THAT(message("2^L"), Contains("the exponent at column 3"));
    CHECK_THAT(message("9^9^9^9^9"), Contains("exponent"));
    CHECK_THAT(message("L\x01"), Contains("unprintable character at column 2"));
    CHECK_THAT(message("sum(l; delta(l', 1))"), Contains("index l' is not bound at column 8"));
    CHECK_THAT(message("s(1, 1)"), Contains("sigma at column 1"));
    CHECK_THAT(message(std::string(1 << 20, '1')), Contains("1048576 characters") && Contains("column 2049"));
    CHECK_THAT(message(std::string(500, '(') + "L" + std::string(500, ')')), Contains("nesting deeper than 64"));
    CHECK_THAT(message(std::string(1000, '-') + "L"), Contains("nesting deeper than 64"));
}

TEST_CASE("the longest formula is read without exhausting the stack") {
    std::string chain = "1";
    while (chain.size() + 2 <= 2048) chain += "+1";
    CHECK(value(chain).is_equal(GiNaC::numeric(chain.size() / 2 + 1)));
}
