#include <lemmata/verify/code_version.hpp>
#include <lemmata/verify/file.hpp>
#include <lemmata/verify/store.hpp>

#include <unistd.h>
#include <catch2/catch.hpp>

using namespace lemmata::verify;

TEST_CASE("a run is computed once, and again when it is another or damaged", "[store]") {
    const auto folder = std::filesystem::temp_directory_path() / ("lemmata-store-" + std::to_string(::getpid()));
    const Store store(folder);
    int computed = 0;
    const auto compute = [&] {
        ++computed;
        return std::vector{1.5, -2.0, 1.0 / 3};
    };
    const Json one{{"seed", 1}}, two{{"seed", 2}};
    CHECK(store.get(one, compute) == std::vector{1.5, -2.0, 1.0 / 3});
    CHECK(store.get(one, compute) == std::vector{1.5, -2.0, 1.0 / 3});
    CHECK(computed == 1);
    CHECK(store.get(two, compute).size() == 3);
    CHECK(computed == 2);
    write_file(store.file_of(one), "nonsense");
    CHECK(store.get(one, compute).size() == 3);
    CHECK(computed == 3);
    // A file of another run under the same name is not taken for this one.
    std::filesystem::copy_file(store.file_of(two), store.file_of(one),
                               std::filesystem::copy_options::overwrite_existing);
    CHECK(store.get(one, compute).size() == 3);
    CHECK(computed == 4);
    // What fails leaves nothing behind.
    const Json three{{"seed", 3}};
    CHECK_THROWS(store.get(three, []() -> std::vector<double> { throw std::runtime_error("stopped"); }));
    CHECK_FALSE(std::filesystem::exists(store.file_of(three)));
    CHECK(code_version().size() == 16);
    std::filesystem::remove_all(folder);
}
