#include <lemmata/activation.hpp>
#include <lemmata/random.hpp>
#include <lemmata/symbolic/score_derivatives.hpp>

#include <catch2/catch.hpp>

#include "symbolic/brute_force.hpp"

using namespace lemmata::symbolic;

namespace {

bool fits(const DerivativePattern& pattern, int H, int L) {
    return std::all_of(pattern.directions.begin(), pattern.directions.end(),
                       [&](const Direction& d) { return d.head <= H && d.token <= L; });
}

}  // namespace

TEST_CASE("derivatives of sigma agree with brute force at fixed L and H") {
    for (const ActivationDefinition& definition : builtin_activations()) {
        ScoreDerivatives derivatives(define_activation(definition));
        const Symbols& s = derivatives.symbols();
        int compared = 0;
        for (int order = 0; order <= 4; ++order)
            for (const DerivativePattern& pattern : derivative_patterns(order)) {
                const GiNaC::ex general = derivatives.sigma(1, 1, pattern.directions);
                for (int H = 1; H <= 3; ++H)
                    for (int L = 2; L <= 6; ++L) {
                        if (!fits(pattern, H, L)) continue;
                        const brute_force::Explicit explicitly(derivatives.family(), H, L);
                        const GiNaC::ex special = explicitly.derivative(explicitly.sigma(0, 0), pattern.directions);
                        INFO(definition.name << " " << text(pattern) << " H=" << H << " L=" << L);
                        REQUIRE((general.subs(GiNaC::lst{s.L == L, s.H == H}) - special).normal().is_zero());
                        ++compared;
                    }
            }
        CHECK(compared > 1800);
    }
}

TEST_CASE("a wrong derivative would be noticed") {
    ScoreDerivatives derivatives(builtin_activation("softmax"));
    const brute_force::Explicit explicitly(derivatives.family(), 1, 3);
    const GiNaC::ex mixed = explicitly.derivative(explicitly.sigma(0, 0), {score(1, 1), score(1, 2)});
    CHECK_FALSE((derivatives.sigma(1, 1, {score(1, 1), score(1, 1)}).subs(derivatives.symbols().L == 3) - mixed)
                    .normal()
                    .is_zero());
}

TEST_CASE("patterns are counted once") {
    CHECK(derivative_patterns(0).size() == 1);
    CHECK(derivative_patterns(1).size() == 4);  // same or other head, same or other token
    // Heads alone: orbits of partitions of {0} + n unlabelled slots, 1, 2, 4, 7, 12, ...
    const auto one_head = [](int order) {
        const auto all = derivative_patterns(order);
        return std::count_if(all.begin(), all.end(), [](const auto& p) { return fits(p, 1, 9); });
    };
    CHECK(one_head(2) == 4);
    CHECK(one_head(3) == 7);
    CHECK(one_head(4) == 12);
}

TEST_CASE("the symbolic definitions are the activations of the numerics at random scores") {
    // First derivatives, by pull_back there and by GiNaC here; 1e-13 is rounding of both.
    const int H = 2, L = 3;
    for (const lemmata::Activation activation : lemmata::all_activations) {
        const brute_force::Explicit explicitly(builtin_activation(lemmata::name(activation)), H, L);
        Eigen::MatrixXd chi(H, L);
        chi << 0.31, -1.2, 0.77, 1.4, 0.05, -0.6;
        Eigen::VectorXd b(H);
        b << 0.4, -0.3;
        const double v = 1.3;
        GiNaC::exmap point{{explicitly.family.symbols.v, v}};
        for (int h = 0; h < H; ++h) {
            point[explicitly.b[std::size_t(h)]] = b[h];
            for (int l = 0; l < L; ++l) point[explicitly.x[std::size_t(h)][std::size_t(l)]] = chi(h, l);
        }
        const auto number = [&](const GiNaC::ex& e) {
            return GiNaC::ex_to<GiNaC::numeric>(e.subs(point).evalf()).to_double();
        };
        const Eigen::MatrixXd sigma = lemmata::attend(activation, chi, b, v);
        for (int h = 0; h < H; ++h)
            for (int l = 0; l < L; ++l) {
                const GiNaC::ex e = explicitly.sigma(h, l);
                CHECK(number(e) == Approx(sigma(h, l)).epsilon(1e-13));
                Eigen::MatrixXd pick = Eigen::MatrixXd::Zero(H, L);
                pick(h, l) = 1;
                const lemmata::Pullback pullback = lemmata::pull_back(activation, chi, b, v, pick);
                for (int i = 0; i < H; ++i) {
                    CHECK(number(e.diff(explicitly.b[std::size_t(i)])) == Approx(pullback.b[i]).margin(1e-13));
                    for (int k = 0; k < L; ++k)
                        CHECK(number(e.diff(explicitly.x[std::size_t(i)][std::size_t(k)])) ==
                              Approx(pullback.chi(i, k)).margin(1e-13));
                }
                CHECK(number(e.diff(explicitly.family.symbols.v)) == Approx(pullback.v).margin(1e-13));
            }
    }
}
