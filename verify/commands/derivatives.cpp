// lemmata derivatives: sigma's derivatives at the unspecialized point, by index pattern.
#include "commands/commands.hpp"

#include <lemmata/symbolic/printer.hpp>
#include <lemmata/symbolic/score_derivatives.hpp>
#include <lemmata/verify/activation_file.hpp>
#include <lemmata/verify/json.hpp>

#include <fmt/format.h>
#include <iostream>
#include <memory>

namespace lemmata::verify {
namespace {

struct DerivativesArguments {
    std::string activation;
    int order = 2;
    std::string format = "text";
};

int run(const DerivativesArguments& arguments, const Session& session) {
    using symbolic::Notation, symbolic::print;
    symbolic::ScoreDerivatives derivatives(activation_named(arguments.activation));
    const bool json = session.json || arguments.format == "json";
    Json out{{"schema", 1}, {"activation", derivatives.family().name}, {"order", arguments.order}};
    out["derivatives"] = Json::array();
    int zeros = 0;
    for (const symbolic::DerivativePattern& pattern : symbolic::derivative_patterns(arguments.order)) {
        poll();
        const GiNaC::ex value = derivatives.sigma(pattern.head, pattern.token, pattern.directions);
        if (json) {
            out["derivatives"].push_back({{"pattern", text(pattern)},
                                          {"latex", latex(pattern)},
                                          {"closed_form", print(value)},
                                          {"closed_form_latex", print(value, Notation::latex)}});
        } else if (value.is_zero() && !session.verbose) {
            ++zeros;
        } else if (arguments.format == "latex") {
            fmt::print("{} = {}\n", latex(pattern), print(value, Notation::latex));
        } else {
            fmt::print("{:<44} {}\n", text(pattern), print(value));
        }
    }
    if (json)
        std::cout << out.dump(2) << '\n';
    else if (zeros > 0 && arguments.format == "text")
        fmt::print("({} further patterns vanish; -v shows them)\n", zeros);
    return 0;
}

}  // namespace

void add_derivatives(CLI::App& app, Session& session) {
    auto a = std::make_shared<DerivativesArguments>();
    auto* command =
        app.add_subcommand("derivatives", "Derivatives of sigma at the unspecialized point, for any L and H");
    command->add_option("activation", a->activation, "softmax, softmax-1, bayes-softmax, or a TOML file")->required();
    command->add_option("--order", a->order, "1 to 4")->check(CLI::Range(0, 4))->capture_default_str();
    command->add_option("--format", a->format, "text, latex or json")
        ->check(CLI::IsMember({"text", "latex", "json"}))
        ->capture_default_str();
    session.add_common(*command,
                       "  lemmata derivatives softmax\n"
                       "  lemmata derivatives bayes-softmax --order 4 --format latex\n"
                       "In s(h, l; h' l', ...) different names are different heads and tokens.");
    command->callback([&session, a] { session.action = [&session, a] { return run(*a, session); }; });
}

}  // namespace lemmata::verify
