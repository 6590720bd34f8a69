#include <lemmata/error.hpp>
#include <lemmata/random.hpp>
#include <lemmata/verify/scenario.hpp>

#include <catch2/catch.hpp>
#include <string>

using namespace lemmata;
using namespace lemmata::verify;
using Catch::Matchers::Contains;

namespace {

const std::string complete = R"(
title  = "everything"
[model]
activation = "softmax-1"
tokens     = 5
[prior]
kind      = "gaussian"
strengths = [8.0, 2]
[state]
m = [[1.1, 0.6], [-1.0, 0.4]]
r = [[0.2, 0.0], [0.0, 0.1]]
b = [0.5, -0.5]
v = 1.5
[flow]
heads = 2
eta   = 0.5
noise = 0.02
seed  = 7
until = 200
[sgd]
dimension = 300
batch     = 100
rate      = 0.05
)";

std::string with_prior(const std::string& prior) {
    return "[model]\nactivation = \"softmax\"\ntokens = 4\n[prior]\n" + prior;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

void refused(const std::string& text, const std::string& words) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_scenario(text, "s.toml"), InvalidInput);
    CHECK_THROWS_WITH(parse_scenario(text, "s.toml"), Contains("s.toml") && Contains(words) && !Contains("\n"));
}

}  // namespace

TEST_CASE("a complete scenario is read as written") {
    const Scenario s = parse_scenario(complete, "s.toml");
    CHECK(s.title == "everything");
    CHECK(s.problem().activation == Activation::softmax_1);
    CHECK(s.tokens == 5);
    CHECK(s.prior.covariance()(1, 1) == 2);
    CHECK(s.given_state().m(1, 0) == -1.0);
    CHECK(s.given_state().r(1, 1) == 0.1);
    CHECK(s.given_state().b[0] == 0.5);
    CHECK(s.given_state().v == 1.5);
    CHECK(s.flow->until == 200);
    CHECK(s.flow->seed == 7);
    CHECK(s.sgd->batch == 100);
    CHECK(s.start().m == s.given_state().m);
}

TEST_CASE("optional parts have their defaults") {
    const Scenario s =
        parse_scenario(with_prior("kind = \"spike\"\nstrength = 3\n[state]\nm = [[1], [2]]\n"), "s.toml");
    CHECK(s.given_state().r == Eigen::MatrixXd::Zero(2, 2));
    CHECK(s.given_state().b == Eigen::VectorXd::Zero(2));
    CHECK(s.given_state().v == 1);
    const Scenario flow = parse_scenario(with_prior("kind = \"spike\"\nstrength = 3\n[flow]\nheads = 3\n"), "s.toml");
    CHECK(flow.start().heads() == 3);
    CHECK(flow.flow->eta == 1);
    CHECK_THROWS_WITH(flow.given_state(), Contains("state: missing"));
}

TEST_CASE("all families of priors can be written") {
    const auto prior = [](const std::string& text) { return parse_scenario(with_prior(text), "s.toml").prior; };
    CHECK(prior("kind = \"gaussian\"\nfeatures = 3\nfrom = 20\nto = 1\n").covariance()(1, 1) == 10.5);
    CHECK(prior("kind = \"gaussian\"\nfeatures = 1\nfrom = 20\n").covariance()(0, 0) == 20);
    CHECK(prior("kind = \"flipping-spike\"\nstrengths = [2, 3]\n").components().size() == 2);
    CHECK(prior("kind = \"spikes\"\nfeatures = 4\nstrength = 10\n").features() == 4);
    const Prior mixture = prior(
        "kind = \"mixture\"\n[[prior.component]]\nweight = 0.7\nmean = [0.9, -0.4]\n"
        "covariance = [[0.3, 0], [0, 0.1]]\n[[prior.component]]\nweight = 0.3\nmean = [-0.6, 1.5]\n");
    CHECK(mixture.components()[0].covariance(0, 0) == 0.3);
    CHECK(mixture.components()[1].covariance.isZero(0));
}

TEST_CASE("mistakes are named in one line") {
    refused(replaced(complete, "tokens     = 5", "tokens = 1"), "model.tokens: 1; expected 2 to");
    refused(replaced(complete, "tokens     = 5", "tokens = 5.5"), "model.tokens: 5.5; expected an integer");
    refused(replaced(complete, "tokens     = 5", ""), "model.tokens: missing");
    refused(replaced(complete, "\"softmax-1\"", "\"relu\""), "model.activation: \"relu\"; expected softmax, softmax-1");
    refused(replaced(complete, "\"softmax-1\"", "3"), "model.activation: 3; expected a string");
    refused(replaced(complete, "[8.0, 2]", "[8.0, -2]"), "prior.strengths[1]: -2");
    refused(replaced(complete, "[8.0, 2]", "[8.0, nan]"), "prior.strengths[1]: nan; expected a finite number");
    refused(replaced(complete, "[8.0, 2]", "[8.0, \"x\"]"), "prior.strengths[1]");
    refused(replaced(complete, "[8.0, 2]", "[8.0]"), "state.m: 2 x 2; expected 2 x 1");
    refused(replaced(complete, "[8.0, 2]", "[]"), "prior.strengths: empty");
    refused(replaced(complete, "strengths =", "strenghts ="), "prior.strengths: missing");
    refused(replaced(complete, "v = 1.5", "v = 1.5\nw = 2"), "state.w: unknown key; expected one of: m, r, b, v");
    refused(replaced(complete, "[-1.0, 0.4]", "[-1.0]"), "state.m[1]: 1 entries; expected 2");
    refused(replaced(complete, "[-1.0, 0.4]", "[-1.0, inf]"), "state.m[1][1]: inf");
    refused(replaced(complete, "[[1.1, 0.6], [-1.0, 0.4]]", "[]"), "state.m");
    refused(replaced(complete, "r = [[0.2, 0.0], [0.0, 0.1]]", "r = [[1.0]]"), "state.r: 1 x 1; expected 2 x 2");
    refused(replaced(complete, "b = [0.5, -0.5]", "b = [1, 2, 3]"), "state.b: 3 x 1; expected 2 x 1");
    refused(replaced(complete, "heads = 2", "heads = 3"), "flow.heads: 3; expected 2");
    refused(replaced(complete, "heads = 2", "heads = 0"), "flow.heads: 0; expected 1 to 1024");
    refused(replaced(complete, "seed  = 7", "seed = -7"), "flow.seed: -7");
    refused(replaced(complete, "until = 200", "until = 0"), "flow.until: 0");
    refused(replaced(complete, "rate      = 0.05", "rate = -1"), "sgd.rate: -1");
    refused(replaced(complete, "[model]", "[modle]"), "model: missing");
    refused(replaced(complete, "title  =", "title  = = "), "s.toml:2:");
    refused("", "model: missing");
    refused(with_prior("kind = \"cauchy\"\n"), "prior.kind: \"cauchy\"");
    refused(with_prior("kind = \"flipping-spike\"\nstrengths = [1, 2, 3]\n"), "prior.strengths: 3 entries");
    refused(with_prior("kind = \"spikes\"\nfeatures = 1000000000\nstrength = 1\n"), "prior.features");
    refused(with_prior("kind = \"gaussian\"\nstrengths = [1]\nfrom = 2\n"), "prior.strengths: given together");
    refused(with_prior("kind = \"mixture\"\n"), "prior.component: none");
    refused(with_prior("kind = \"mixture\"\ncomponent = 3\n"), "prior.component: 3");
    const std::string component = "kind = \"mixture\"\n[[prior.component]]\nweight = 0.9\nmean = [1.0]\n";
    refused(with_prior(component), "prior.component[*].weight: sum 0.9");
    refused(with_prior(component + "covariance = [[-1.0]]\n"), "prior.component[0].covariance[0][0]: -1");
    refused(with_prior(component + "covariance = [[1.0, 0.0]]\n"), "prior.component[0].covariance: 1 x 2");
}

TEST_CASE("files that cannot be read are refused by name") {
    CHECK_THROWS_WITH(read_scenario("no-such-file.toml"), Contains("no-such-file.toml"));
    CHECK_THROWS_AS(read_scenario("."), InvalidInput);
}

// Deterministic fuzzing: cuts, swaps, repeats and random bytes in a valid text. Whatever happens,
// the reader either returns a valid scenario or throws InvalidInput with one line.
TEST_CASE("mutilated scenarios never crash the reader") {
    const auto number = [](std::uint64_t& i) { return random_bits(42, Stream::search, i++); };
    std::uint64_t i = 0;
    int accepted = 0, rejected = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string text = complete;
        const auto edits = 1 + number(i) % 2;
        for (std::uint64_t e = 0; e < edits; ++e) {
            const auto from = number(i) % text.size();
            const auto length = 1 + number(i) % 12;
            switch (number(i) % 5) {
                case 0:
                    text.erase(from, length);
                    break;
                case 1:
                    text.insert(from, text.substr(number(i) % text.size(), length));
                    break;
                case 2:
                    text[from] = static_cast<char>(number(i) % 256);
                    break;
                case 3:
                    text[from] = "0123456789.-+eE[]\"=\n,#"[number(i) % 22];
                    break;
                default:
                    text.insert(from, std::string(number(i) % 300, '['));
                    break;
            }
            if (text.empty()) text = "x";
        }
        try {
            const Scenario s = parse_scenario(text, "fuzz.toml");
            CHECK(s.tokens >= 2);
            ++accepted;
        } catch (const InvalidInput& e) {
            if (std::string(e.what()).find('\n') != std::string::npos) FAIL_CHECK("more than one line: " << e.what());
            ++rejected;
        }
    }
    CHECK(accepted > 100);  // harmless edits (numbers, comments) get through
    CHECK(rejected > 1000);
}
