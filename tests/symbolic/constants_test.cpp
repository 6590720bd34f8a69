#include <lemmata/error.hpp>
#include <lemmata/symbolic/constants.hpp>
#include <lemmata/symbolic/printer.hpp>
#include <lemmata/symbolic/sign.hpp>

#include <catch2/catch.hpp>

#include "symbolic/brute_force.hpp"

using namespace lemmata::symbolic;

namespace {

std::string closed_form(const std::vector<Constant>& list, const std::string& key) {
    return print(find_constant(list, key).value);
}

}  // namespace

TEST_CASE("constants of softmax") {
    ScoreDerivatives derivatives(builtin_activation("softmax"));
    const auto list = constants(derivatives, {1, 2, 3, 4});
    CHECK(closed_form(list, "c^(1)") == "2*(L - 1)/(L^2*H)");
    CHECK(closed_form(list, "c_1^(2)") == "(L - 1)/(L^2*H^2)");
    CHECK(closed_form(list, "c_2^(2)") == "(L - 1)/(L^3*H^2)");
    CHECK(closed_form(list, "c_3^(2)") == "(L - 1)*(L - 2)/(L^3*H)");
    CHECK(closed_form(list, "c_4^(2)") == "0");
    CHECK(closed_form(list, "c_6^(2)") == "0");
    CHECK(closed_form(list, "c_1^(4)") == "V*W*(L - 1)*(L - 2)^2/(L^5*H^2)");
    // M of eq. (58) has two terms only.
    for (const std::string zero : {"u_a u_a w_b w_c", "u_a u_b w_a w_c", "u_a u_b w_c w_c", "u_a u_b w_c w_d"})
        CHECK(closed_form(list, "[" + zero + "]") == "0");
    CHECK(closed_form(list, "[u_a u_a w_a w_b]") == closed_form(list, "[u_a u_b w_a w_a]"));
    CHECK_THROWS_AS(find_constant(list, "c_9^(2)"), lemmata::InvalidInput);
    CHECK_THROWS_AS(constants(derivatives, {5}), lemmata::InvalidInput);
}

TEST_CASE("softmax-1 reaches the line where its mean output is one") {
    ScoreDerivatives derivatives(builtin_activation("softmax-1"));
    const Symbols& s = derivatives.symbols();
    const auto line = scale_on_line(derivatives);
    REQUIRE(line);
    CHECK((*line - (s.L + s.B) / s.L).normal().is_zero());
    const auto on = constants(derivatives, {1, 2}), off = constants(derivatives, {1, 2}, false);
    CHECK(closed_form(on, "[b_a]") == "0");
    CHECK(closed_form(on, "[v]") == "0");
    CHECK(closed_form(on, "c_6^(2)") == "0");
    CHECK(closed_form(off, "c_6^(2)") != "0");
    CHECK((find_constant(off, "c_6^(2)").value.subs(s.v == *line)).normal().is_zero());
    ScoreDerivatives softmax(builtin_activation("softmax"));
    CHECK_FALSE(scale_on_line(softmax));
}

TEST_CASE("each constant agrees with brute force at five sizes") {
    // c_1, c_6, c_2 + c_4 and c_3 + c_4 from the explicit second derivatives of the integrand; exact.
    for (const ActivationDefinition& definition : builtin_activations()) {
        ScoreDerivatives derivatives(define_activation(definition));
        const Symbols& s = derivatives.symbols();
        const auto list = constants(derivatives, {1, 2}, false);
        for (const auto& [H, L] : std::vector<std::pair<int, int>>{{2, 2}, {2, 3}, {3, 3}, {2, 5}, {4, 3}}) {
            const brute_force::Explicit model(derivatives.family(), H, L);
            const GiNaC::ex phi = model.loss();
            const auto second = [&](int h, int token) {
                return model.derivative(phi, {score(1, token), score(h, token)}) / 2;
            };
            const auto at_sizes = [&](const std::string& key) {
                return find_constant(list, key).value.subs(GiNaC::lst{s.L == L, s.H == H});
            };
            const auto same = [](const GiNaC::ex& a, const GiNaC::ex& b) { return (a - b).normal().is_zero(); };
            INFO(definition.name << " H=" << H << " L=" << L);
            CHECK(same(at_sizes("c^(1)"), -model.derivative(phi, {score(1, 1)})));
            CHECK(same(at_sizes("c_1^(2)"), second(2, 1) + (L - 1) * second(2, 2)));
            CHECK(same(at_sizes("c_1^(2)") + at_sizes("c_6^(2)"), second(1, 1) + (L - 1) * second(1, 2)));
            CHECK(same(at_sizes("c_2^(2)") + at_sizes("c_4^(2)"), second(2, 1)));
            CHECK(same(at_sizes("c_2^(2)") - at_sizes("c_3^(2)"), second(1, 1)));
        }
    }
}

TEST_CASE("a user's activations go through constants and signs without code") {
    SECTION("sigmoid attention") {
        ScoreDerivatives derivatives(define_activation({"sigmoid", "1/(1 + exp(-x))", "1", "1", {}}));
        const auto list = constants(derivatives, {1, 2, 3, 4});
        // sigma = 1/2, sigma' = 1/4, sigma'' = 0, and no head or token sees another.
        CHECK(closed_form(list, "c^(1)") == "1/(4*H)");
        CHECK(closed_form(list, "c_1^(2)") == "L/(16*H^2)");
        CHECK(closed_form(list, "c_2^(2)") == "1/(16*H^2)");
        CHECK(closed_form(list, "c_3^(2)") == "0");
        CHECK(closed_form(list, "c_6^(2)") == "0");
        const Domain domain = domain_of(derivatives.family());
        for (const Constant& constant : list) CHECK(recheck(prove_sign(constant.value, domain)));
        CHECK(prove_sign(find_constant(list, "c_1^(2)").value, domain).sign == Sign::positive);
    }
    SECTION("softmax at a temperature") {
        const ActivationFamily family = define_activation({"warm", "exp(x/T)", "S", "1", {"T"}});
        ScoreDerivatives derivatives(family);
        const auto list = constants(derivatives, {1, 2, 4});
        CHECK(closed_form(list, "c^(1)") == "2*(L - 1)/(L^2*H*T)");
        CHECK(closed_form(list, "c_3^(2)") == "(L - 1)*(L - 2)/(L^3*H*T^2)");
        CHECK(prove_sign(find_constant(list, "c_3^(4)").value, domain_of(family, 3)).sign == Sign::positive);
    }
}
