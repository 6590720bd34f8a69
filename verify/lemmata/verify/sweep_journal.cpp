#include <lemmata/error.hpp>
#include <lemmata/verify/sweep_journal.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace lemmata::verify {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, int code) {
    throw Unfinished(fmt::format("{}: cannot be written: {}", file.string(), std::generic_category().message(code)));
}

}  // namespace

SweepJournal::SweepJournal(const std::filesystem::path& folder, const std::string& identity)
    : file_(folder / "journal.jsonl"), descriptor_(-1) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) fail(file_, error.value());
    descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(file_, errno);
    try {
        if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
            throw InvalidInput(file_.string(), "in use by another process", "one process at a time");
        std::ifstream in(file_, std::ios::binary);
        std::int64_t whole = 0;  // bytes of complete lines
        std::int64_t number = 0;
        for (std::string line; std::getline(in, line) && !in.eof(); ++number) {
            const Json json = Json::parse(line, nullptr, false);
            if (number == 0 && line != identity)
                throw InvalidInput(file_.string(), "a journal of another sweep, or of another version of lemmata",
                                   "the same ones, or another --out");
            if (number > 0 && !(json.is_object() && json.contains("at") && json.contains("answer")))
                throw InvalidInput(fmt::format("{}:{}", file_.string(), number + 1), "damaged",
                                   "a line {\"at\": …, \"answer\": …}; remove it to compute that point again");
            if (number > 0) answers_[json["at"].dump()] = json["answer"];
            whole += static_cast<std::int64_t>(line.size()) + 1;
        }
        if (::ftruncate(descriptor_, whole) != 0) fail(file_, errno);
        if (number == 0) append(Json::parse(identity));
    } catch (...) {
        ::close(descriptor_);
        throw;
    }
}

SweepJournal::~SweepJournal() {
    ::close(descriptor_);
}

const Json* SweepJournal::find(const Json& settings) const {
    const auto found = answers_.find(settings.dump());
    return found == answers_.end() ? nullptr : &found->second;
}

void SweepJournal::add(const Json& settings, const Json& answer) {
    append({{"at", settings}, {"answer", answer}});
    answers_[settings.dump()] = answer;
}

void SweepJournal::append(const Json& json) {
    const std::string line = json.dump() + "\n";
    // One write: lines are short, and what a full disk cuts off is dropped at the next start.
    const ssize_t written = ::write(descriptor_, line.data(), line.size());
    if (written < 0) fail(file_, errno);
    if (static_cast<std::size_t>(written) != line.size()) fail(file_, ENOSPC);
    if (::fdatasync(descriptor_) != 0) fail(file_, errno);
}

}  // namespace lemmata::verify
