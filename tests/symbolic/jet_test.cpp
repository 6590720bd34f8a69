#include <lemmata/symbolic/jet.hpp>

#include <catch2/catch.hpp>

using namespace lemmata::symbolic;

namespace {

// f = exp(x y) / (1 + x + y^2), differentiated at (2, 3) by GiNaC and by jets.
struct Sample {
    GiNaC::symbol x{"x"}, y{"y"};
    GiNaC::ex f = GiNaC::exp(x * y) / (1 + x + y * y);

    [[nodiscard]] GiNaC::ex partial(const std::vector<int>& which) const {
        GiNaC::ex e = f;
        for (const int k : which) e = e.diff(k == 0 ? x : y);
        return e.subs(GiNaC::lst{x == 2, y == 3});
    }
};

}  // namespace

TEST_CASE("a jet holds the mixed derivatives of a composition") {
    const Sample sample;
    // x = 2 + e0 + e2, y = 3 + e1 + e3: the top coefficient is d^4 f / dx dy dx dy.
    Jet x(2, 4), y(3, 4);
    x[1] = x[4] = 1;
    y[2] = y[8] = 1;
    const Jet f = compose([&](const auto& which) { return sample.partial(which); }, {x, y});
    CHECK((f.top() - sample.partial({0, 0, 1, 1})).normal().is_zero());
    CHECK((f[1 | 4] - sample.partial({0, 0})).normal().is_zero());
    CHECK((f[8] - sample.partial({1})).normal().is_zero());
    CHECK_FALSE((f.top() - sample.partial({0, 1, 1, 1})).normal().is_zero());
}

TEST_CASE("products of jets obey the rule of Leibniz") {
    const GiNaC::symbol t("t");
    // a = exp(t), b = t^3 at t = 2, all three directions along t.
    const auto jet = [&](const GiNaC::ex& g) {
        Jet along(2, 3);
        along[1] = along[2] = along[4] = 1;
        return compose([&](const auto& which) { return g.diff(t, unsigned(which.size())).subs(t == 2); }, {along});
    };
    const GiNaC::ex a = GiNaC::exp(t), b = GiNaC::pow(t, 3);
    CHECK(((jet(a) * jet(b)).top() - (a * b).diff(t, 3).subs(t == 2)).expand().is_zero());
}
