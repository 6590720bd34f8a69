// Other programs that are put to use where they are installed: pandoc.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lemmata::verify {

// What the command prints on standard output, if it can be run and ends with exit code 0. Arguments
// reach it as they are; its complaints go to our standard error.
std::optional<std::string> output_of(const std::vector<std::string>& command);

// Whether such a program is on the path.
bool installed(const std::string& program);

}  // namespace lemmata::verify
