#include "commands/ranks.hpp"

#include "commands/session.hpp"

#include <lemmata/error.hpp>

#include <cstdlib>

#ifdef LEMMATA_MPI
#include <boost/mpi.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/utility.hpp>
#include <chrono>
#include <thread>
#endif

namespace lemmata::verify {
namespace {

bool launched_by_mpi() {
    // Open MPI's mpirun, PMIx (Slurm's srun) and PMI launchers.
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
        if (std::getenv(variable) != nullptr) return true;
    return false;
}

#ifdef LEMMATA_MPI
namespace mpi = boost::mpi;

class MpiRanks final : public Ranks {
public:
    [[nodiscard]] int size() const { return world_.size(); }
    [[nodiscard]] bool leads() const override { return world_.rank() == 0; }

    void lead(const std::vector<std::size_t>& points,
              const std::function<void(std::size_t, const std::string&)>& deliver) override {
        std::size_t next = 0;
        for (int working = world_.size() - 1; working > 0;) {
            const auto waiting = world_.iprobe(mpi::any_source, ready);
            if (!waiting) {
                poll();
                // Without this wait rank 0 would take a core from those that compute.
                std::this_thread::sleep_for(std::chrono::microseconds(200));
                continue;
            }
            std::pair<std::int64_t, std::string> message;
            world_.recv(waiting->source(), ready, message);
            if (next < points.size()) {
                world_.send(waiting->source(), work, static_cast<std::int64_t>(points[next++]));
            } else {
                world_.send(waiting->source(), work, none);
                --working;
            }
            if (message.first != none) deliver(static_cast<std::size_t>(message.first), message.second);
        }
    }

    void follow(const std::function<std::string(std::size_t)>& answer) override {
        std::pair<std::int64_t, std::string> message{none, ""};
        for (;;) {
            world_.send(0, ready, message);
            world_.recv(0, work, message.first);
            if (message.first == none) return;
            message.second = answer(static_cast<std::size_t>(message.first));
        }
    }

    void abort(int code) override { mpi::environment::abort(code); }

private:
    static constexpr int ready = 1, work = 2;
    static constexpr std::int64_t none = -1;
    mpi::environment environment_;
    mpi::communicator world_;
};
#endif

}  // namespace

std::unique_ptr<Ranks> Ranks::join() {
    if (!launched_by_mpi()) return nullptr;
#ifdef LEMMATA_MPI
    auto ranks = std::make_unique<MpiRanks>();
    if (ranks->size() < 2) return nullptr;  // nobody to share with: compute here
    return ranks;
#else
    throw InvalidInput("mpirun", "this program was built without MPI",
                       "a build with libboost-mpi-dev installed, or no mpirun");
#endif
}

}  // namespace lemmata::verify
