#include <lemmata/error.hpp>
#include <lemmata/symbolic/activation_family.hpp>

#include <catch2/catch.hpp>

using namespace lemmata::symbolic;
using Catch::Matchers::Contains;

namespace {

std::string message(const ActivationDefinition& definition) {
    try {
        define_activation(definition);
    } catch (const lemmata::InvalidInput& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("activations use what they mention") {
    CHECK_FALSE(builtin_activation("softmax").uses_bias());
    CHECK_FALSE(builtin_activation("softmax").uses_scale());
    CHECK(builtin_activation("softmax-1").uses_bias());
    CHECK(builtin_activation("softmax-1").uses_scale());
    CHECK(builtin_activation("bayes-softmax").uses_bias());
    CHECK_THROWS_AS(builtin_activation("sparsemax"), lemmata::InvalidInput);
}

TEST_CASE("the exponential of the bias becomes a symbol") {
    const Symbols s;
    CHECK((with_exp_bias(GiNaC::exp(2 * s.b + s.x), s) - s.B * s.B * GiNaC::exp(s.x)).is_zero());
    CHECK((with_exp_bias(1 / (1 + GiNaC::exp(-s.b)), s).normal() - s.B / (1 + s.B)).normal().is_zero());
    CHECK(with_exp_bias(GiNaC::exp(s.b / 2), s).has(s.b));  // B^(1/2) would not be rational
}

TEST_CASE("bad activations are refused with the part and the position") {
    CHECK_THAT(message({"a", "exp(y)"}), Contains("activation.weight: unknown symbol \"y\" at column 5"));
    CHECK_THAT(message({"a", "exp(S)"}), Contains("unknown symbol \"S\""));  // not an argument of the weight
    CHECK_THAT(message({"a", "exp(x", "S"}), Contains("the end at column 6"));
    CHECK_THAT(message({"a", "exp(x)", "S - S"}), Contains("activation.denominator"));
    CHECK_THAT(message({"a", "exp(x)", "S - L"}), Contains("not zero where all scores are 0"));
    CHECK_THAT(message({"a", "1/x"}), Contains("defined at x = 0"));
    CHECK_THAT(message({"a", "log(x)"}), Contains("defined at x = 0"));
    CHECK_THAT(message({"a", "exp(x)", "S", "x"}), Contains("activation.scale: unknown symbol"));
    CHECK_THAT(message({"a", "exp(x)", "S", "1", {"L"}}), Contains("activation.parameters: \"L\""));
    CHECK_THAT(message({"a", "exp(x)", "S", "1", {"T", "T"}}), Contains("activation.parameters"));
    CHECK_THAT(message({"a", "exp(x)", "S", "1", {"9"}}), Contains("activation.parameters"));
    CHECK(message({"a", "exp(x/T)", "S", "1", {"T"}}) == "accepted");
}
