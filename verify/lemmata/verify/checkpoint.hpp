// Runs on disk: enough of a flow or of SGD to continue it to the same bits.
//
// A checkpoint is a line of text that says which run it belongs to, and the run's numbers as raw
// doubles. It is written whole or not at all (file.hpp), so that a run killed at any moment leaves
// the last complete one. Not for exchange between machines of different byte order.
#pragma once

#include <lemmata/path.hpp>
#include <lemmata/sgd_run.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lemmata::verify {

struct Checkpoint {
    std::string identity;  // one line; a run resumes only if it is the same
    std::vector<double> numbers;
};

void save(const std::filesystem::path& file, const Checkpoint& checkpoint);

// Nothing if there is no such file. InvalidInput if it is no checkpoint, or one of another run.
std::optional<std::vector<double>> load(const std::filesystem::path& file, const std::string& identity);

std::vector<double> pack(const Path& path);
Path unpack_path(const std::vector<double>& numbers);

std::vector<double> pack(const SgdRun& run);
SgdRun unpack_sgd_run(const std::vector<double>& numbers);

}  // namespace lemmata::verify
