#include <lemmata/error.hpp>
#include <lemmata/verify/file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <cerrno>
#include <system_error>

namespace lemmata::verify {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, int code) {
    throw Unfinished(fmt::format("{}: cannot be written: {}", file.string(), std::generic_category().message(code)));
}

// 0, or errno.
int write_and_flush(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(descriptor) == 0 ? 0 : errno;
}

}  // namespace

void write_file(const std::filesystem::path& file, std::string_view text) {
    std::error_code error;
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), error);
    if (error) fail(file, error.value());
    const std::string temporary = fmt::format("{}.{}.tmp", file.string(), ::getpid());
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) fail(file, errno);
    int code = write_and_flush(descriptor, text);
    if (::close(descriptor) != 0 && code == 0) code = errno;
    if (code == 0 && ::rename(temporary.c_str(), file.c_str()) != 0) code = errno;
    if (code != 0) {
        ::unlink(temporary.c_str());
        fail(file, code);
    }
}

}  // namespace lemmata::verify
