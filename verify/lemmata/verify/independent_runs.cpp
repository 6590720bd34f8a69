#include <lemmata/verify/independent_runs.hpp>

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <exception>
#include <mutex>

namespace lemmata::verify {

void run_independently(std::size_t count, const std::function<void(std::size_t)>& work,
                       const std::function<void(std::size_t)>& finished) {
    std::mutex mutex;
    std::exception_ptr failure;
    const auto failed = [&] {
        const std::scoped_lock lock(mutex);
        return failure != nullptr;
    };
    const auto run = [&](std::size_t i) {
        try {
            if (failed()) return;
            tbb::this_task_arena::isolate([&] { work(i); });
            const std::scoped_lock lock(mutex);
            if (!failure) finished(i);
        } catch (...) {
            const std::scoped_lock lock(mutex);
            if (!failure) failure = std::current_exception();
        }
    };
    tbb::parallel_for(std::size_t{0}, count, run, tbb::simple_partitioner());
    if (failure) std::rethrow_exception(failure);
}

}  // namespace lemmata::verify
