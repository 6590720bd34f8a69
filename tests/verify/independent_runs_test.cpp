#include <lemmata/verify/independent_runs.hpp>

#include <oneapi/tbb/parallel_for.h>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace lemmata::verify;

TEST_CASE("every piece is worked on once and finished once, one at a time") {
    std::vector<int> worked(50), finished(50);
    std::atomic<int> inside = 0;
    run_independently(
        50, [&](std::size_t i) { ++worked[i]; },
        [&](std::size_t i) {
            CHECK(++inside == 1);
            CHECK(worked[i] == 1);
            ++finished[i];
            --inside;
        });
    CHECK(worked == std::vector<int>(50, 1));
    CHECK(finished == worked);
    run_independently(
        0, [](std::size_t) { FAIL(); }, [](std::size_t) { FAIL(); });
}

// A plain parallel loop cancels the loops inside the other pieces, which then return half done: with
// one in place of run_independently this test fails.
TEST_CASE("a piece that fails leaves those under way whole and keeps the others from beginning") {
    constexpr std::size_t pieces = 1000;
    std::atomic<bool> other_began = false;
    std::atomic<int> begun = 0, whole = 0, half = 0, finished = 0;
    const auto work = [&](std::size_t i) {
        ++begun;
        if (i == 0) {
            // Fail while another piece is under way, if there is a thread for one.
            for (int wait = 0; wait < 200 && !other_began; ++wait)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            throw std::runtime_error("piece 0");
        }
        other_began = true;
        std::atomic<int> done = 0;
        tbb::parallel_for(
            0, 20,
            [&](int) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                ++done;
            },
            tbb::simple_partitioner());
        ++(done == 20 ? whole : half);
    };
    CHECK_THROWS_WITH(run_independently(pieces, work, [&](std::size_t) { ++finished; }), "piece 0");
    CHECK(half == 0);
    CHECK(whole == begun - 1);
    CHECK(begun < static_cast<int>(pieces));
    CHECK(finished <= whole);
}
