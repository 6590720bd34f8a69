#include <lemmata/error.hpp>
#include <lemmata/verify/file.hpp>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace lemmata;
using namespace lemmata::verify;

TEST_CASE("files are written whole, in folders that may not exist yet") {
    const auto folder = std::filesystem::temp_directory_path() / "lemmata-file-test";
    std::filesystem::remove_all(folder);
    write_file(folder / "a" / "b.txt", "one");
    write_file(folder / "a" / "b.txt", "two");
    std::ifstream in(folder / "a" / "b.txt");
    CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == "two");
    CHECK(std::distance(std::filesystem::directory_iterator(folder / "a"), {}) == 1);  // no temporary is left
    std::filesystem::remove_all(folder);
}

TEST_CASE("a file that cannot be written says so") {
    CHECK_THROWS_WITH(write_file("/proc/no-such-folder/x", "text"),
                      Catch::Matchers::Contains("/proc/no-such-folder/x"));
}
