#include <lemmata/error.hpp>
#include <lemmata/verify/activation_file.hpp>
#include <lemmata/verify/constants_report.hpp>
#include <lemmata/verify/toml_section.hpp>

#include <catch2/catch.hpp>

using namespace lemmata::verify;
using Catch::Matchers::Contains;

namespace {

std::string message(const std::string& file) {
    try {
        parse_activation(file, "mine.toml");
    } catch (const lemmata::InvalidInput& error) {
        return error.what();
    }
    return "accepted";
}

std::string file(const std::string& weight, const std::string& more = "denominator = '1'") {
    return "[activation]\nname = 'mine'\nweight = '" + weight + "'\n" + more + "\n";
}

const ConstantRow& row(const ConstantsTable& table, const std::string& key) {
    for (const ConstantRow& candidate : table.rows)
        if (candidate.key == key) return candidate;
    throw lemmata::InvalidInput("key", key, "a row");
}

}  // namespace

TEST_CASE("docs/constants.md is current") {
    // If this fails: lemmata constants all --format markdown > docs/constants.md
    CHECK(read_text(LEMMATA_DOCS "/constants.md") == constants_document());
}

TEST_CASE("a user's activation file goes through constants and signs") {
    lemmata::symbolic::ScoreDerivatives warm(
        parse_activation(file("exp(x/T)", "denominator = 'S'\nparameters = ['T']"), "warm.toml"));
    const ConstantsTable table = constants_table(warm, {2}, true);
    CHECK(row(table, "c_3^(2)").closed_form == "(L - 1)*(L - 2)/(L^3*H*T^2)");
    CHECK(row(table, "c_3^(2)").sign == "= 0 for L = 2, > 0 for L >= 3");
    lemmata::symbolic::ScoreDerivatives sigmoid(parse_activation(file("1/(1+exp(-x))"), "sigmoid.toml"));
    CHECK(row(constants_table(sigmoid, {1}, true), "c^(1)").closed_form == "1/(4*H)");
}

TEST_CASE("faulty activation files are refused in one line with the position") {
    CHECK_THAT(message(file("exp(y)")), Contains("mine.toml: activation.weight: unknown symbol \"y\" at column 5"));
    CHECK_THAT(message(file("exp(x")), Contains("activation.weight: the end at column 6; expected ')'"));
    CHECK_THAT(message(file("1/(x - x)")), Contains("division by zero at column 2"));
    CHECK_THAT(message(file(std::string(1 << 20, 'x'))), Contains("1048576 characters"));
    CHECK_THAT(message(file(std::string(400, '(') + "x" + std::string(400, ')'))), Contains("nesting deeper than 64"));
    CHECK_THAT(message(file("exp(x)", "")), Contains("mine.toml: activation.denominator: missing"));
    CHECK_THAT(message(file("exp(x)", "denominator = 'S'\ncolour = 'red'")), Contains("colour"));
    CHECK_THAT(message("[activation"), Contains("mine.toml"));
    CHECK_THROWS_AS(activation_named("no-such-activation"), lemmata::InvalidInput);
}

TEST_CASE("numbers given are put in exactly") {
    lemmata::symbolic::ScoreDerivatives softmax(lemmata::symbolic::builtin_activation("softmax"));
    const auto& s = softmax.symbols();
    const ConstantsTable table = constants_table(softmax, {2}, true, {{s.L, 5}, {s.H, 4}});
    CHECK(row(table, "c_3^(2)").exact == "3/125");
    REQUIRE(row(table, "c_3^(2)").value);
    CHECK(*row(table, "c_3^(2)").value == 3.0 / 125);
    const auto json = to_json(table);
    CHECK(json["constants"]["c_3^(2)"]["exact"] == "3/125");
    CHECK(json["schema"] == 1);
}
