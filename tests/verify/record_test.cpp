#include <lemmata/error.hpp>
#include <lemmata/verify/file.hpp>
#include <lemmata/verify/record.hpp>

#include <catch2/catch.hpp>
#include <chrono>
#include <limits>

using namespace lemmata;
using namespace lemmata::verify;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> wanted{"lemma-A.4/eq-33", "lemma-A.4/eq-34"};

Ledger checked(const std::vector<std::string>& ids, std::uint64_t seed = 1) {
    return run_checks(ids, {Tier::quick, seed, [] {}});
}

struct Folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / "lemmata-record-test";
    Folder() { std::filesystem::remove_all(path); }
    ~Folder() { std::filesystem::remove_all(path); }
};

constexpr auto always = std::filesystem::file_time_type::min();

}  // namespace

TEST_CASE("a ledger read back is the ledger that was written") {
    Ledger ledger = checked(wanted);
    ledger.entries[0].evidence[0].measured = std::numeric_limits<double>::quiet_NaN();  // becomes null
    ledger.entries[0].evidence[1].seed = 18446744073709551615U;
    ledger.entries[1].failure = "no luck";
    const auto json = to_json(ledger);
    CHECK(to_json(ledger_from_json(nlohmann::ordered_json::parse(json.dump()))).dump() == json.dump());
    CHECK_THROWS_WITH(ledger_from_json({{"schema", 1}}), Contains("ledger"));
    auto wrong = json;
    wrong["claims"][0]["printed"]["verdict"] = "fine";
    CHECK_THROWS_AS(ledger_from_json(wrong), InvalidInput);
}

TEST_CASE("claims checked one by one give the ledger of all of them") {
    const Folder folder;
    write_records(folder.path, checked({wanted[1]}));  // in any order
    CHECK_THROWS_WITH(read_records(folder.path, wanted, always), Contains("no record of lemma-A.4/eq-33"));
    write_records(folder.path, checked({wanted[0]}));
    CHECK(to_json(read_records(folder.path, wanted, always)).dump() == to_json(checked(wanted)).dump());
    CHECK_THROWS_WITH(
        read_records(folder.path, wanted, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1)),
        Contains("older than this program"));
    write_records(folder.path, checked({wanted[1]}, 2));
    CHECK_THROWS_WITH(read_records(folder.path, wanted, always), Contains("seed 2"));
    write_file(folder.path / "lemma-A.4.eq-33.json", "{");
    CHECK_THROWS_WITH(read_records(folder.path, wanted, always), Contains("lemma-A.4.eq-33.json"));
}

TEST_CASE("numbers are measurements that CTest can read") {
    Entry entry;
    Evidence e = compare(Form::printed, "a<b", "\"q\" & more", 0.5, {0.25, 1e-3, ErrorKind::bound}, 1);
    entry.evidence.push_back(e);
    e.measured = std::string("x > 0");
    entry.evidence.push_back(e);
    const std::string text = measurements(entry);
    CHECK_THAT(text, Contains("<CTestMeasurement type=\"text/string\" name=\"verdict\">inconclusive<"));
    CHECK_THAT(text, Contains("<CTestMeasurement type=\"numeric/double\" name=\"1 a&lt;b: &quot;q&quot; &amp; more: "
                              "found\">0.25</CTestMeasurement>\n"));
    CHECK_THAT(text, Contains("type=\"text/string\" name=\"2 a&lt;b: &quot;q&quot; &amp; more: found\">x &gt; 0<"));
}
