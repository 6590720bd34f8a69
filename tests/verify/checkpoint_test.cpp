#include <lemmata/error.hpp>
#include <lemmata/verify/checkpoint.hpp>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using namespace lemmata;
using namespace lemmata::verify;
using Catch::Matchers::Contains;

namespace {

struct Folder {
    Folder() : path(std::filesystem::temp_directory_path() / "lemmata-checkpoint-test") { clear(); }
    ~Folder() { clear(); }
    void clear() const { std::filesystem::remove_all(path); }
    std::filesystem::path path;
};

Path some_path() {
    Path path{2, 1, {}, 0.125};
    for (int i = 0; i < 3; ++i) {
        const Eigen::VectorXd x = flatten(random_state(2, 1, 1, 0.1, static_cast<std::uint64_t>(i)));
        path.knots.push_back({0.1 * i, x, -x, 2 * x, Eigen::VectorXd(), {0.5, 1e-9, ErrorKind::bound}});
    }
    return path;
}

SgdRun some_run() {
    SgdOptions options;
    options.dimension = 30;
    SgdRun run{sgd_start(2, 1, options), {}};
    run.state.steps = (std::uint64_t{1} << 40U) + 3;
    run.records.push_back(
        {7, overlaps(run.state, hidden_spikes(2, options)), run.state.b, 0.3, {0.7, 0.01, ErrorKind::standard}});
    return run;
}

}  // namespace

TEST_CASE("a path survives packing to the last bit") {
    const Path path = some_path(), back = unpack_path(pack(path));
    CHECK(back.heads == 2);
    CHECK(back.features == 1);
    CHECK(back.next_step == path.next_step);
    REQUIRE(back.knots.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(back.knots[i].tau == path.knots[i].tau);
        CHECK(back.knots[i].x == path.knots[i].x);
        CHECK(back.knots[i].slope == path.knots[i].slope);
        CHECK(back.knots[i].bulge0 == path.knots[i].bulge0);
        CHECK(back.knots[i].bulge1.size() == 0);
        CHECK(back.knots[i].loss.error == 1e-9);
    }
}

TEST_CASE("an SGD run survives packing to the last bit") {
    const SgdRun run = some_run(), back = unpack_sgd_run(pack(run));
    CHECK(back.state.steps == run.state.steps);
    CHECK(back.state.k == run.state.k);
    CHECK(back.state.b == run.state.b);
    REQUIRE(back.records.size() == 1);
    CHECK(back.records[0].overlaps.q == run.records[0].overlaps.q);
    CHECK(back.records[0].overlaps.p == run.records[0].overlaps.p);
    CHECK(back.records[0].loss.kind == ErrorKind::standard);
}

TEST_CASE("checkpoints are found again only by their own run") {
    const Folder folder;
    const auto file = folder.path / "a.checkpoint";
    CHECK_FALSE(load(file, "run 1"));
    const std::vector<double> numbers = pack(some_path());
    save(file, {"run 1", numbers});
    CHECK(*load(file, "run 1") == numbers);
    CHECK_THROWS_WITH(load(file, "run 2"), Contains("checkpoint of another run: run 1; expected this one: run 2"));
    std::ofstream(file) << "something else";
    CHECK_THROWS_WITH(load(file, "run 1"), Contains("not a checkpoint"));
}

TEST_CASE("damaged numbers are refused") {
    std::vector<double> numbers = pack(some_path());
    numbers.resize(numbers.size() / 2);
    CHECK_THROWS_AS(unpack_path(numbers), InvalidInput);
    CHECK_THROWS_AS(unpack_path({}), InvalidInput);
    CHECK_THROWS_AS(unpack_path({2, 1, 0.1, -5}), InvalidInput);
    numbers = pack(some_run());
    numbers[1] = 1e9;  // rows that are not there
    CHECK_THROWS_AS(unpack_sgd_run(numbers), InvalidInput);
}
