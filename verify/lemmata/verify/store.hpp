// Finished runs on disk, found again by what they are: a flow or an SGD run costs seconds to hours and
// depends on nothing but its parameters, its seed and the code.
//
// A run is a file <hash>.run in the folder: a checkpoint (checkpoint.hpp) whose identity is the
// parameters with the code version. It is written whole or not at all, so work that is interrupted
// continues with the runs that were finished. A file that is damaged, or of another run with the same
// hash, counts as absent.
#pragma once

#include <lemmata/verify/json.hpp>

#include <filesystem>
#include <functional>
#include <vector>

namespace lemmata::verify {

class Store {
public:
    explicit Store(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // The run's numbers, computed now if they are not there. May be called from several threads.
    [[nodiscard]] std::vector<double> get(const Json& parameters,
                                          const std::function<std::vector<double>()>& compute) const;

    [[nodiscard]] std::filesystem::path file_of(const Json& parameters) const;

private:
    std::filesystem::path folder_;
};

}  // namespace lemmata::verify
