// Files are written whole or not at all: to a temporary one beside the target, flushed, renamed.
#pragma once

#include <filesystem>
#include <string_view>

namespace lemmata::verify {

// Throws Unfinished, naming the file and the system's reason (disk full, no permission, …); the
// old file, if any, is then untouched and the temporary one is gone. Makes missing folders.
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace lemmata::verify
