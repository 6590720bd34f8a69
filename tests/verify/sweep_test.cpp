#include <lemmata/bayes_risk.hpp>
#include <lemmata/error.hpp>
#include <lemmata/verify/sweep.hpp>
#include <lemmata/verify/sweep_journal.hpp>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace lemmata;
using namespace lemmata::verify;
using Catch::Contains;

namespace {

const std::string base = R"(
[model]
activation = "softmax"
tokens = 4
[prior]
kind = "flipping-spike"
strengths = [2, 1]
[flow]
heads = 2
)";

Sweep sweep_of(const std::string& rest) {
    return Sweep::parse(base + rest, "s.toml");
}

class Folder {
public:
    Folder() : path_(std::filesystem::temp_directory_path() / "lemmata-sweep-test") {
        std::filesystem::remove_all(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

std::string contents(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("a sweep takes every combination, the last axis fastest") {
    const Sweep sweep = sweep_of(R"(
[sweep]
compute = ["bayes"]
[[sweep.axis]]
key = "prior.strengths[0]"
from = 1
to = 100
count = 3
spacing = "logarithmic"
[[sweep.axis]]
key = "model.tokens"
values = [2, 7]
)");
    REQUIRE(sweep.size() == 6);
    CHECK(sweep.settings(0).dump() == R"({"prior.strengths[0]":1.0,"model.tokens":2})");
    CHECK(sweep.settings(3)["prior.strengths[0]"].get<double>() == Approx(10).epsilon(1e-15));
    CHECK(sweep.settings(3)["model.tokens"] == 7);
    CHECK(sweep.settings(5)["prior.strengths[0]"] == 100.0);
    const Scenario last = sweep.scenario(5);
    CHECK(last.tokens == 7);
    CHECK(last.prior.mean()[0] == 10);
    const RiskEstimate direct = bayes_risk(Prior::flipping_spike(100, 1), 7);
    CHECK(sweep.answer(5)["risk"] == direct.risk.value);
}

TEST_CASE("a list of settings is combined with the axes, and tables on the way are made") {
    const Sweep sweep = Sweep::parse(R"(
[model]
tokens = 3
[prior]
kind = "mixture"
[[prior.component]]
weight = 1
mean = [1, 2]
[sweep]
compute = ["bayes"]
[[sweep.point]]
"flow.seed" = 3
"prior.component[0].mean" = [5, 6]
[[sweep.point]]
"flow.seed" = 4
"prior.component[0].mean" = [7, 8]
[[sweep.axis]]
key = "prior.component[0].mean[1]"
values = [0, 1]
)",
                                     "s.toml");
    REQUIRE(sweep.size() == 4);
    const Scenario scenario = sweep.scenario(3);
    CHECK(scenario.flow->seed == 4);
    CHECK(scenario.prior.mean() == Eigen::Vector2d(7, 1));
}

TEST_CASE("questions about the flow share it, and agree with the flow itself") {
    const Sweep sweep = sweep_of("[sweep]\ncompute = [\"limit\", \"learning\", \"bayes\", \"pruning\"]\n");
    REQUIRE(sweep.size() == 1);
    const Json answer = sweep.answer(0);
    INFO(answer.dump());
    REQUIRE_FALSE(answer.contains("error"));
    CHECK(answer["limit"].get<double>() > answer["risk"].get<double>());
    CHECK(answer["limit_minimum"] == true);
    CHECK(answer["tau_s"].get<double>() > answer["tau_u"].get<double>());
    CHECK(answer.contains("learning_2"));
    CHECK(answer["pruned_0"].get<double>() == Approx(answer["limit"].get<double>()).epsilon(1e-9));
    CHECK(answer["pruned_1"].get<double>() > answer["pruned_0"].get<double>());
    CHECK_FALSE(answer.contains("pruned_2"));
}

TEST_CASE("a point that fails is an answer, a file that fails everywhere is refused") {
    const std::string axis = "[sweep]\ncompute = [\"bayes\"]\n[[sweep.axis]]\nkey = \"prior.strengths[1]\"\n";
    const Sweep sweep = sweep_of(axis + "values = [-1, 1]\n");
    CHECK_THAT(sweep.answer(0)["error"].get<std::string>(), Contains("strengths"));
    CHECK(sweep.answer(1).contains("risk"));
    CHECK_THROWS_WITH(sweep_of(axis + "values = [-1, -2]\n"), Contains("s.toml") && Contains("strengths"));
    CHECK(sweep_of("[sweep]\ncompute = [\"loss\"]\n").answer(0)["error"].get<std::string>().find("[state]") !=
          std::string::npos);
}

TEST_CASE("mistakes in a sweep are named") {
    const std::string ask = "[sweep]\ncompute = [\"bayes\"]\n";
    const auto axis = [&](const std::string& text) { return sweep_of(ask + "[[sweep.axis]]\n" + text); };
    CHECK_THROWS_WITH(sweep_of(""), Contains("s.toml: sweep: missing"));
    CHECK_THROWS_WITH(sweep_of("[sweep]\n"), Contains("sweep.compute: missing"));
    CHECK_THROWS_WITH(sweep_of("[sweep]\ncompute = []\n"), Contains("sweep.compute"));
    CHECK_THROWS_WITH(sweep_of("[sweep]\ncompute = [\"gain\"]\n"), Contains("\"gain\"; expected loss, bayes"));
    CHECK_THROWS_WITH(sweep_of(ask + "step = 1\n"), Contains("sweep.step: unknown key"));
    CHECK_THROWS_WITH(axis("key = \"model.tokens\"\n"), Contains("sweep.axis[0].values: missing"));
    CHECK_THROWS_WITH(axis("key = \"model.tokens\"\nvalues = []\n"), Contains("at least one value"));
    CHECK_THROWS_WITH(axis("key = \"model.tokens\"\nvalues = 3\n"), Contains("an array"));
    CHECK_THROWS_WITH(axis("key = \"model.tokens\"\nvalues = [3]\ncount = 2\n"), Contains("given with"));
    CHECK_THROWS_WITH(axis("key = \"model.tokens\"\nfrom = 1\ncount = 2\n"), Contains("sweep.axis[0].to: missing"));
    CHECK_THROWS_WITH(axis("key = \"prior.strengths[0]\"\nfrom = 0\nto = 1\ncount = 2\nspacing = \"logarithmic\"\n"),
                      Contains("ends > 0"));
    for (const std::string key : {"tokens", "model.", ".tokens", "prior.strengths[0", "prior.strengths[x]", ""})
        CHECK_THROWS_WITH(axis("key = \"" + key + "\"\nvalues = [3]\n"), Contains("a key such as"));
    CHECK_THROWS_WITH(axis("key = \"prior.strengths[2]\"\nvalues = [3]\n"), Contains("an entry that the base"));
    CHECK_THROWS_WITH(axis("key = \"model.tokns\"\nvalues = [3]\n"), Contains("model.tokns: unknown key"));
    CHECK_THROWS_WITH(
        axis("key = \"model.tokens\"\nvalues = [3]\n[[sweep.axis]]\nkey = \"model.tokens\"\nvalues = [4]\n"),
        Contains("twice"));
    CHECK_THROWS_WITH(sweep_of(ask + "[[sweep.point]]\n\"flow.seed\" = 1\n[[sweep.point]]\n\"flow.eta\" = 1\n"),
                      Contains("sweep.point[1]: other keys"));
}

TEST_CASE("a journal keeps answers, drops a line cut short, and refuses other sweeps") {
    const Folder folder;
    const std::string identity = R"({"sweep":1})";
    {
        SweepJournal journal(folder.path(), identity);
        journal.add({{"k", 1}}, {{"risk", 0.5}});
        journal.add({{"k", 2}}, {{"error", "no"}});
        CHECK_THROWS_WITH(SweepJournal(folder.path(), identity), Contains("in use"));
    }
    const auto file = folder.path() / "journal.jsonl";
    const std::string whole = contents(file);
    std::ofstream(file, std::ios::app) << R"({"at":{"k":3},"ans)";
    {
        SweepJournal journal(folder.path(), identity);
        REQUIRE(journal.find({{"k", 1}}) != nullptr);
        CHECK((*journal.find({{"k", 1}}))["risk"] == 0.5);
        CHECK(journal.find({{"k", 3}}) == nullptr);
        CHECK(contents(file) == whole);
    }
    CHECK_THROWS_WITH(SweepJournal(folder.path(), R"({"sweep":2})"), Contains("another sweep"));
    std::ofstream(file, std::ios::app) << "garbage\n";
    CHECK_THROWS_WITH(SweepJournal(folder.path(), identity), Contains("journal.jsonl:4: damaged"));
}

TEST_CASE("a table has the settings first, and quotes what needs it") {
    CHECK(to_csv({{{"k", 1}}, {{"k", "a,b"}}}, {{{"risk", 0.25}, {"x", nullptr}}, {{"error", "say \"no\""}}}) ==
          "k,risk,x,error\n1,0.25,,\n\"a,b\",,,\"say \"\"no\"\"\"\n");
}
