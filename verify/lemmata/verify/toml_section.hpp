// A TOML table that insists on being understood: every key must be asked for, and must have the
// type asked for. Complaints are InvalidInput naming the key's full path.
#pragma once

#include <toml++/toml.h>
#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lemmata::verify {

class TomlSection {
public:
    TomlSection(const toml::table& table, std::string path) : table_(&table), path_(std::move(path)) {}

    // Absent keys give nothing; present ones of the wrong type throw. Integers serve as reals.
    std::optional<std::string> text(const std::string& key);
    std::optional<double> real(const std::string& key);
    std::optional<std::int64_t> integer(const std::string& key, std::int64_t smallest, std::int64_t largest);
    std::optional<Eigen::VectorXd> vector(const std::string& key);
    std::optional<Eigen::MatrixXd> matrix(const std::string& key);
    std::optional<std::vector<std::string>> texts(const std::string& key);
    const toml::array* array(const std::string& key);  // of anything; null if absent
    std::optional<TomlSection> section(const std::string& key);
    std::vector<TomlSection> sections(const std::string& key);  // an array of tables

    // The same, but absence throws too.
    template <typename T>
    T required(const std::string& key, std::optional<T> value) const {
        if (!value) missing(key);
        return std::move(*value);
    }

    // Throws if a key was never asked for.
    void finish() const;

    [[nodiscard]] const toml::table& table() const { return *table_; }
    [[nodiscard]] std::string full(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
    [[noreturn]] void missing(const std::string& key) const;

private:
    const toml::node* find(const std::string& key);

    const toml::table* table_;
    std::string path_;
    std::vector<std::string> asked_;
};

// Parses a document; InvalidInput with "<source>:<line>:<column>" on a syntax error.
toml::table parse_toml(std::string_view text, const std::string& source);

// The file's contents; InvalidInput if it cannot be read or is larger than 16 MiB.
std::string read_text(const std::string& file);

}  // namespace lemmata::verify
