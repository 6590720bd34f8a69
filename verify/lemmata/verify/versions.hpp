// What this program was built with, for reports.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lemmata::verify {

std::vector<std::pair<std::string, std::string>> versions();  // name, version

}  // namespace lemmata::verify
