#include "commands/certified.hpp"

#include <lemmata/error.hpp>
#include <lemmata/verify/json.hpp>

#include <fmt/format.h>
#include <iostream>

namespace lemmata::verify {

void add_certified_options(CLI::App& command, CertifiedArguments& arguments, const std::vector<std::string>& others) {
    auto* certified =
        command.add_flag("--certified", arguments.certified,
                         certified_available() ? "A proved interval, in ball arithmetic"
                                               : "A proved interval (not in this build: needs libflint-arb-dev)");
    for (const std::string& other : others) certified->excludes(command.get_option(other));
    command.add_option("--digits", arguments.digits, "Significant digits of the interval")
        ->check(CLI::Range(1, max_certified_digits))
        ->capture_default_str()
        ->needs(certified);
}

int print_certified(const std::string& quantity, const std::string& file, const Session& session,
                    const std::function<Enclosure()>& enclose) {
    const Enclosure enclosure = [&] {
        try {
            return enclose();
        } catch (const InvalidInput& complaint) {
            throw complaint.within(file);
        }
    }();
    if (session.json) {
        const Json json{{"schema", 1},
                        {quantity, {{"lower", enclosure.lower}, {"upper", enclosure.upper}}},
                        {"method", "certified"}};
        std::cout << json.dump(2) << '\n';
    } else {
        fmt::print("{}\n  >= {}\n  <= {}\nmethod  certified\n", quantity, enclosure.lower, enclosure.upper);
    }
    return 0;
}

}  // namespace lemmata::verify
