// Many independent pieces of work at once, each of which may be parallel inside.
//
// Two things go wrong with a plain parallel loop: a thread that waits inside one piece begins another
// one, and an exception out of one piece cancels the loops inside all others, which then return half
// done without a word. Here pieces are isolated, and the first exception is thrown when all that were
// under way have ended; pieces not begun by then are left out.
#pragma once

#include <cstddef>
#include <functional>

namespace lemmata::verify {

// `work(i)` for i < count, concurrently; `finished(i)` after it, one at a time.
void run_independently(std::size_t count, const std::function<void(std::size_t)>& work,
                       const std::function<void(std::size_t)>& finished);

}  // namespace lemmata::verify
