#include <lemmata/error.hpp>
#include <lemmata/verify/checkpoint.hpp>
#include <lemmata/verify/code_version.hpp>
#include <lemmata/verify/store.hpp>

#include <fmt/format.h>

namespace lemmata::verify {
namespace {

std::string identity(const Json& parameters) {
    return fmt::format("{} {}", code_version(), parameters.dump());
}

// FNV-1a. Only names files: what is in them is compared in full.
std::uint64_t hash(const std::string& text) {
    std::uint64_t value = 0xcbf29ce484222325;
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return value;
}

}  // namespace

std::filesystem::path Store::file_of(const Json& parameters) const {
    return folder_ / fmt::format("{:016x}.run", hash(identity(parameters)));
}

std::vector<double> Store::get(const Json& parameters, const std::function<std::vector<double>()>& compute) const {
    const auto file = file_of(parameters);
    const std::string id = identity(parameters);
    try {
        if (auto numbers = load(file, id)) return *numbers;
    } catch (const InvalidInput&) {
        // Damaged, or another run: made anew below.
    }
    const auto numbers = compute();
    save(file, {id, numbers});
    return numbers;
}

}  // namespace lemmata::verify
