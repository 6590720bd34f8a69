#include <lemmata/error.hpp>
#include <lemmata/verify/errata.hpp>
#include <lemmata/verify/file.hpp>
#include <lemmata/verify/paper_order.hpp>
#include <lemmata/verify/program.hpp>
#include <lemmata/verify/prose.hpp>
#include <lemmata/verify/report.hpp>

#include <algorithm>
#include <catch2/catch.hpp>

using namespace lemmata;
using namespace lemmata::verify;
using Catch::Matchers::Contains;

namespace {

Evidence found(double expected, double measured, double error) {
    return compare(Form::printed, "by hand", "a_b at x|y", expected, {measured, error, ErrorKind::bound}, 1);
}

Entry entry(const std::string& id, Verdict verdict, const std::string& finding = "") {
    Entry e;
    e.claim.id = id;
    e.claim.place = "eq. (1)";
    e.claim.statement = "$x$ is `a|b`";
    e.printed = verdict;
    if (!finding.empty()) e.findings = {finding};
    e.evidence = {verdict == Verdict::refuted ? found(1, 2, 1e-3) : found(1, 1, 1e-3)};
    return e;
}

}  // namespace

TEST_CASE("words stand for themselves, mathematics and code stay") {
    CHECK(prose("c_3^(2) * [x] ~ y") == "c\\_3\\^(2) \\* \\[x\\] \\~ y");
    CHECK(prose("if $a_b|c\\|$ and `s(h, l)`\nthen > 0") == "if $a_b\\vert c\\|$ and `s(h, l)` then \\> 0");
    CHECK(prose("costs $5, `open") == "costs \\$5, \\`open");
    CHECK(code("a|b") == "a\\|b");  // a bar in code would end a table's cell
    CHECK(html_escaped("a<b & \"c\"") == "a&lt;b &amp; &quot;c&quot;");
}

TEST_CASE("numbers show the digits that their error leaves") {
    CHECK(shown(0.59717968350395, 4e-10) == "0.5971796835");
    CHECK(shown(0.59109012291522, 4e-10) == "0.5910901229");
    CHECK(shown(4.98e-12, 1e-9) == "5e-12");
    CHECK(shown(1234.5678, 0.1) == "1234.6");
    CHECK(shown(0.1, 0) == "0.1");
    CHECK(shown(std::string("1/27"), 0) == "1/27");
}

TEST_CASE("one slip met for several activations is one erratum, in the order of the paper") {
    const Ledger ledger{
        Tier::quick,
        1,
        {entry("text/a", Verdict::refuted), entry("lemma-A.5/c2/softmax", Verdict::refuted, "wrong-index"),
         entry("lemma-A.5/c3/softmax", Verdict::proved),
         entry("lemma-A.5/c2/softmax-1", Verdict::refuted, "wrong-index"),
         entry("lemma-A.5/c2/bayes-softmax", Verdict::refuted, "wrong-factor"),
         entry("prop-IV.3/softmax", Verdict::refuted), entry("eq-9", Verdict::vacuous, "vacuous")}};
    const auto all = errata(ledger);
    std::vector<std::string> ids;
    for (const Erratum& e : all) ids.push_back(e.id);
    CHECK(ids == std::vector<std::string>{"eq-9", "prop-IV.3/softmax", "lemma-A.5/c2", "lemma-A.5/c2/bayes-softmax",
                                          "text/a"});
    CHECK(all[2].activations == std::vector<std::string>{"softmax", "softmax-1"});
    REQUIRE(witness(*all[2].entries.front()) != nullptr);
    CHECK(witness(ledger.entries[2]) == nullptr);
    CHECK(heading(section_of("lemma-A.5/c2/softmax")) == "Lemma A.5");
}

TEST_CASE("a report has every claim with its numbers, and says what is wrong first") {
    const Ledger ledger{
        Tier::quick, 7, {entry("lemma-A.5/x", Verdict::refuted), entry("prop-IV.1", Verdict::supported)}};
    const std::string text = report_markdown(ledger);
    CHECK_THAT(text, Contains("2 claims of the paper") && Contains("2 comparisons by 1 method."));
    CHECK_THAT(text, Contains("**Witness.** a\\_b at x\\|y: claimed 1.000, found 2.000 ±&nbsp;$1\\cdot10^{-3}$."));
    CHECK_THAT(text, Contains("lemmata verify lemma-A.5/x --tier quick --seed 7"));
    CHECK(text.find("id=\"prop-IV.1\"") < text.find("id=\"lemma-A.5/x\""));
    CHECK(text.find("**Witness.**") < text.find("id=\"claims\""));
    CHECK(text.find("## Figures") == std::string::npos);
}

TEST_CASE("figures beside a report are shown by number, and must be records") {
    const auto folder = std::filesystem::temp_directory_path() / "lemmata-gallery-test";
    std::filesystem::remove_all(folder);
    CHECK(pictures(folder).empty());
    for (const int n : {10, 2}) {
        const std::string name = "fig" + std::to_string(n);
        write_file(folder / "figures" / name / (name + ".svg"), "<svg/>");
        write_file(folder / "figures" / name / (name + ".json"),
                   nlohmann::ordered_json{{"figure", n}, {"title", "a \"b\""}}.dump());
    }
    write_file(folder / "figures" / "fig3" / "fig3.csv", "no picture yet");
    const auto all = pictures(folder);
    REQUIRE(all.size() == 2);
    CHECK(all[0].file == "figures/fig2/fig2.svg");
    CHECK_THAT(gallery_markdown(all), Contains("alt=\"Figure 10: a &quot;b&quot;\""));
    CHECK(with_pictures("<img src=\"figures/fig2/fig2.svg\">", all) ==
          "<img src=\"data:image/svg+xml;base64,PHN2Zy8+\">");
    write_file(folder / "figures" / "fig2" / "fig2.json", "{}");
    CHECK_THROWS_WITH(pictures(folder), Contains("fig2.json"));
    std::filesystem::remove_all(folder);
}

TEST_CASE("pandoc understands the mathematics of every claim") {
    if (!installed("pandoc")) {
        WARN("pandoc is not installed");
        return;
    }
    std::string text;
    for (const Claim& claim : all_claims()) {
        text += prose(claim.statement) + "\n\n";
        for (const auto& h : claim.hypotheses) text += prose(h) + "\n\n";
        if (claim.corrected) text += prose(claim.corrected->statement) + "\n\n";
    }
    const auto file = std::filesystem::temp_directory_path() / "lemmata-claims-test.md";
    const auto html = [&](const std::string& markdown) {
        write_file(file, markdown);
        return output_of({"pandoc", "--to=html5", "--mathml", file.string()}).value();
    };
    const std::string page = html(text);
    const std::size_t left = page.find("class=\"math");  // how pandoc shows what it cannot read
    INFO(page.substr(std::min(left, page.size()), 200));
    CHECK(left == std::string::npos);
    CHECK_THAT(html("$\\tau^{\\rm u}$"), Contains("class=\"math"));  // it would have been seen
    std::filesystem::remove(file);
}

TEST_CASE("programs are run with their arguments as they are") {
    CHECK(output_of({"printf", "%s", "it's $HOME"}) == "it's $HOME");
    CHECK_FALSE(output_of({"false"}));
    CHECK(installed("sh"));
    CHECK_FALSE(installed("no-such-program"));
}
