// The two ways a computation here can refuse.
//
// InvalidInput: what was asked makes no sense; the message names the field, the value given and
// what was expected. Unfinished: the question is fine but the answer could not be reached (step
// limit, tolerance not met). Nothing else is thrown on purpose.
#pragma once

#include <stdexcept>
#include <string>

namespace lemmata {

class InvalidInput : public std::invalid_argument {
public:
    // Message: "<field>: <given>; expected <expected>".
    InvalidInput(const std::string& field, const std::string& given, const std::string& expected)
        : std::invalid_argument(field + ": " + given + "; expected " + expected) {}

    // The same complaint, about a field of `where` (a file).
    [[nodiscard]] InvalidInput within(const std::string& where) const { return InvalidInput(where + ": " + what()); }

private:
    explicit InvalidInput(const std::string& message) : std::invalid_argument(message) {}
};

class Unfinished : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace lemmata
