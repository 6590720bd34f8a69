#include <lemmata/enclosure.hpp>
#include <lemmata/error.hpp>

namespace lemmata {

void validate_certified_digits(int digits) {
    if (digits < 1 || digits > max_certified_digits)
        throw InvalidInput("--digits", std::to_string(digits), "1 to " + std::to_string(max_certified_digits));
}

}  // namespace lemmata
