// A hash of the sources that decide what a computed run is: the numerics and the recipes of runs.
// Results kept on disk are used again only by a program with the same one.
#pragma once

#include <string_view>

namespace lemmata::verify {

std::string_view code_version();

}  // namespace lemmata::verify
