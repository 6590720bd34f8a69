#include <lemmata/symbolic/formula_latex.hpp>
#include <lemmata/symbolic/printed.hpp>

#include <algorithm>
#include <catch2/catch.hpp>

using namespace lemmata::symbolic;

namespace {

std::string shown(const std::string& text) {
    return latex(parse_formula(text, "formula"));
}

}  // namespace

TEST_CASE("formulas in LaTeX keep their shape") {
    CHECK(shown("1/H*(L - 1)/L^2") == R"(\frac{1}{H}\,\frac{L-1}{L^{2}})");
    CHECK(shown("-2*(L*v/(L + B) - 1)") == R"(-2\,\left(L\,\frac{v}{L+B}-1\right))");
    CHECK(shown("a^2*2") == R"(a^{2}\cdot 2)");
    CHECK(shown("v/H*(L - 1)/L/(L + B)") == R"(\frac{v}{H}\,\frac{L-1}{L\,\left(L+B\right)})");
    CHECK(shown("-1/H*a - -2*b") == R"(-\frac{1}{H}\,a-\left(-2\,b\right))");
    CHECK(shown("s(1, 1; 1 1)") == R"(\partial_{1,1}\sigma_{1,1})");
    CHECK(shown("(L + B)^2") == R"(\left(L+B\right)^{2})");
    CHECK(shown("a - (b - c3)") == R"(a-\left(b-c_3^{(2)}\right))");
    CHECK(shown("2*V*ct1 + C2") == R"(2\,V\,\tilde c_1^{(4)}+c_2^{(4)})");
    CHECK(shown("sum(l, l'; s(h1, l; 1 l', 2 l'))") ==
          R"(\sum_{\ell,\ell'}\partial_{1\ell'}\partial_{2\ell'}\sigma_{h_1\ell})");
    CHECK(shown("sum(l; s(1, l))^2*delta(l, 1)").starts_with(R"(\left(\sum_{\ell}\sigma_{1\ell}\right)^{2}\,\delta)"));
}

TEST_CASE("a sum keeps what follows it apart") {
    CHECK(shown("sum(l; s(1, l))*V") == R"(\left(\sum_{\ell}\sigma_{1\ell}\right)\,V)");
    CHECK(shown("2*sum(l; s(1, l))*V") == R"(\left(2\,\sum_{\ell}\sigma_{1\ell}\right)\,V)");
    CHECK(shown("V*sum(l; s(1, l) + 1)") == R"(V\,\sum_{\ell}\left(\sigma_{1\ell}+1\right))");
}

TEST_CASE("every printed formula can be shown, with its brackets in balance") {
    for (const PrintedFormula& f : printed_formulas())
        for (const std::string& text : {f.printed, f.corrected}) {
            if (text.empty()) continue;
            CAPTURE(f.id);
            const std::string tex = shown(text);
            CHECK(std::count(tex.begin(), tex.end(), '{') == std::count(tex.begin(), tex.end(), '}'));
            CHECK(tex.find("\\mathrm") == std::string::npos);  // no name without a symbol
        }
}
