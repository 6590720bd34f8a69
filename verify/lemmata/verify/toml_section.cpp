#include <lemmata/error.hpp>
#include <lemmata/verify/toml_section.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

namespace lemmata::verify {
namespace {

constexpr std::size_t largest_file = 16 << 20;
constexpr double largest_number = 1e100;  // products of three are finite

// The value as written, shortened to stay on one line.
std::string shown(const toml::node& node) {
    std::ostringstream out;
    node.visit([&](const auto& value) { out << value; });
    std::string text = out.str();
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    return text;
}

double number(const toml::node& node, const std::string& field) {
    const auto value = node.is_integer()
                           ? std::optional<double>(static_cast<double>(**node.as_integer()))
                           : (node.is_floating_point() ? std::optional(**node.as_floating_point()) : std::nullopt);
    if (!value) throw InvalidInput(field, shown(node), "a number");
    if (!std::isfinite(*value)) throw InvalidInput(field, shown(node), "a finite number");
    if (std::abs(*value) > largest_number) throw InvalidInput(field, shown(node), "a number of at most 1e100 in size");
    return *value;
}

Eigen::VectorXd numbers(const toml::node& node, const std::string& field) {
    if (!node.is_array()) throw InvalidInput(field, shown(node), "an array of numbers");
    const toml::array& array = *node.as_array();
    Eigen::VectorXd values(static_cast<Eigen::Index>(array.size()));
    for (std::size_t i = 0; i < array.size(); ++i)
        values[static_cast<Eigen::Index>(i)] = number(array[i], fmt::format("{}[{}]", field, i));
    return values;
}

}  // namespace

void TomlSection::missing(const std::string& key) const {
    throw InvalidInput(full(key), "missing", "a value");
}

const toml::node* TomlSection::find(const std::string& key) {
    asked_.push_back(key);
    return table_->get(key);
}

std::optional<std::string> TomlSection::text(const std::string& key) {
    const auto* node = find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_string()) throw InvalidInput(full(key), shown(*node), "a string");
    return **node->as_string();
}

std::optional<double> TomlSection::real(const std::string& key) {
    const auto* node = find(key);
    if (node == nullptr) return std::nullopt;
    return number(*node, full(key));
}

std::optional<std::int64_t> TomlSection::integer(const std::string& key, std::int64_t smallest, std::int64_t largest) {
    const auto* node = find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_integer()) throw InvalidInput(full(key), shown(*node), "an integer");
    const std::int64_t value = **node->as_integer();
    if (value < smallest || value > largest)
        throw InvalidInput(full(key), fmt::format("{}", value), fmt::format("{} to {}", smallest, largest));
    return value;
}

std::optional<Eigen::VectorXd> TomlSection::vector(const std::string& key) {
    const auto* node = find(key);
    if (node == nullptr) return std::nullopt;
    return numbers(*node, full(key));
}

std::optional<Eigen::MatrixXd> TomlSection::matrix(const std::string& key) {
    const auto* node = find(key);
    if (node == nullptr) return std::nullopt;
    const std::string field = full(key);
    if (!node->is_array() || node->as_array()->empty())
        throw InvalidInput(field, shown(*node), "a non-empty array of rows");
    const toml::array& rows = *node->as_array();
    Eigen::MatrixXd values;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Eigen::VectorXd row = numbers(rows[i], fmt::format("{}[{}]", field, i));
        if (i == 0) values.resize(static_cast<Eigen::Index>(rows.size()), row.size());
        if (row.size() != values.cols())
            throw InvalidInput(fmt::format("{}[{}]", field, i), fmt::format("{} entries", row.size()),
                               fmt::format("{}, as in the first row", values.cols()));
        values.row(static_cast<Eigen::Index>(i)) = row.transpose();
    }
    return values;
}

std::optional<std::vector<std::string>> TomlSection::texts(const std::string& key) {
    const auto* node = find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_array()) throw InvalidInput(full(key), shown(*node), "an array of strings");
    std::vector<std::string> values;
    for (const auto& entry : *node->as_array()) {
        if (!entry.is_string()) throw InvalidInput(full(key), shown(entry), "a string");
        values.push_back(**entry.as_string());
    }
    return values;
}

const toml::array* TomlSection::array(const std::string& key) {
    const auto* node = find(key);
    if (node == nullptr) return nullptr;
    if (!node->is_array()) throw InvalidInput(full(key), shown(*node), "an array");
    return node->as_array();
}

std::optional<TomlSection> TomlSection::section(const std::string& key) {
    const auto* node = find(key);
    if (node == nullptr) return std::nullopt;
    if (!node->is_table()) throw InvalidInput(full(key), shown(*node), "a table");
    return TomlSection(*node->as_table(), full(key));
}

std::vector<TomlSection> TomlSection::sections(const std::string& key) {
    const auto* node = find(key);
    if (node == nullptr) return {};
    if (!node->is_array())
        throw InvalidInput(full(key), shown(*node), fmt::format("tables, each headed [[{}]]", full(key)));
    std::vector<TomlSection> result;
    const toml::array& array = *node->as_array();
    for (std::size_t i = 0; i < array.size(); ++i) {
        const std::string path = fmt::format("{}[{}]", full(key), i);
        if (!array[i].is_table()) throw InvalidInput(path, shown(array[i]), "a table");
        result.emplace_back(*array[i].as_table(), path);
    }
    return result;
}

void TomlSection::finish() const {
    for (const auto& [key, node] : *table_) {
        const std::string name(key.str());
        if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) continue;
        std::string known;
        for (const auto& k : asked_) known += (known.empty() ? "" : ", ") + k;
        throw InvalidInput(full(name), "unknown key", "one of: " + known);
    }
}

toml::table parse_toml(std::string_view text, const std::string& source) {
    try {
        return toml::parse(text, source);
    } catch (const toml::parse_error& e) {
        const auto& at = e.source().begin;
        std::string description(e.description());
        std::replace(description.begin(), description.end(), '\n', ' ');
        throw InvalidInput(fmt::format("{}:{}:{}", source, at.line, at.column), description, "TOML");
    }
}

std::string read_text(const std::string& file) {
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) error = std::make_error_code(std::errc::is_a_directory);
    if (error) throw InvalidInput(file, error.message(), "a readable file");
    std::ifstream in(file, std::ios::binary);  // or a pipe, whose size nobody knows
    if (!in) throw InvalidInput(file, std::generic_category().message(errno), "a readable file");
    std::string text;
    std::vector<char> piece(1 << 16);
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
        text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > largest_file) throw InvalidInput(file, "more than 16 MiB", "at most 16 MiB");
    }
    if (in.bad()) throw InvalidInput(file, "cannot be read", "a readable file");
    return text;
}

}  // namespace lemmata::verify
