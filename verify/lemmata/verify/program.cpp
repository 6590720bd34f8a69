#include <lemmata/verify/program.hpp>

#include <unistd.h>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace lemmata::verify {
namespace {

std::string quoted(const std::string& argument) {
    std::string text = "'";
    for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

}  // namespace

std::optional<std::string> output_of(const std::vector<std::string>& command) {
    std::string line;
    for (const std::string& argument : command) line += quoted(argument) + ' ';
    std::FILE* pipe = ::popen(line.c_str(), "r");
    if (pipe == nullptr) return std::nullopt;
    std::string text;
    std::array<char, 65536> buffer;
    for (std::size_t size = 0; (size = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        text.append(buffer.data(), size);
    if (::pclose(pipe) != 0) return std::nullopt;
    return text;
}

bool installed(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');)
        if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    return false;
}

}  // namespace lemmata::verify
