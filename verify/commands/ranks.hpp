// The processes that `mpirun` started, and how they share the points of a sweep: rank 0 hands out one
// point at a time and keeps the answers, the others compute. Points may differ in cost by any factor.
// If a process dies MPI ends them all; what rank 0 has written stays, and the same command goes on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lemmata::verify {

class Ranks {
public:
    // Null unless an MPI launcher started this process and others. InvalidInput if one did, but this
    // program was built without MPI.
    static std::unique_ptr<Ranks> join();
    virtual ~Ranks() = default;

    [[nodiscard]] virtual bool leads() const = 0;
    // Rank 0: gives every point to some rank, and each answer to `deliver` as it comes.
    virtual void lead(const std::vector<std::size_t>& points,
                      const std::function<void(std::size_t, const std::string&)>& deliver) = 0;
    // The others: answers until rank 0 has no more points.
    virtual void follow(const std::function<std::string(std::size_t)>& answer) = 0;
    // Ends all ranks at once, whatever they do.
    virtual void abort(int code) = 0;
};

}  // namespace lemmata::verify
