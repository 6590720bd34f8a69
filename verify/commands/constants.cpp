// lemmata constants: every constant of App. A.2, in closed form, with a proof of its sign.
#include "commands/commands.hpp"

#include <lemmata/error.hpp>
#include <lemmata/verify/constants_query.hpp>

#include <fmt/format.h>
#include <iostream>
#include <memory>

namespace lemmata::verify {
namespace {

struct ConstantsArguments : ConstantsQuery {
    std::string format = "text";
};

void print_text(const ConstantsTable& table, bool latex, bool verbose) {
    fmt::print("{}{}{}\n", table.activation, table.stage.empty() ? "" : ", ", table.stage);
    int hidden = 0;
    for (const ConstantRow& row : table.rows) {
        if (row.zero && row.key.front() == '[' && !verbose) {
            ++hidden;
            continue;
        }
        if (latex) {
            fmt::print("{} = {}\n", row.latex_key, row.latex);
            continue;
        }
        fmt::print("{:<18} {}\n", row.key, row.closed_form);
        if (!row.exact.empty() && row.exact != row.closed_form)
            fmt::print("{:<18} = {}{}\n", "", row.exact, row.value ? fmt::format(" = {}", *row.value) : "");
        if (!row.zero) fmt::print("{:<18} {}\n", "", paint(Colour::dim, row.sign));
        if (verbose && !row.zero) fmt::print("{}", row.certificate);
    }
    if (hidden > 0 && !latex) fmt::print("({} further terms vanish; -v shows them)\n", hidden);
}

int run(const ConstantsArguments& arguments, const Session& session) {
    if (arguments.format == "markdown") {
        if (arguments.activation != "all")
            throw InvalidInput("--format", "markdown", "text, latex or json (markdown is for `all`)");
        std::cout << constants_document();
        return 0;
    }
    std::vector<std::string> names{arguments.activation};
    if (arguments.activation == "all") names = {"softmax", "softmax-1", "bayes-softmax"};
    const bool json = session.json || arguments.format == "json";
    if (json && names.size() > 1) throw InvalidInput("activation", "all", "one activation for JSON");
    for (const std::string& name : names) {
        ConstantsQuery query = arguments;
        query.activation = name;
        const ConstantsTable table = constants_table(query);
        if (json)
            std::cout << to_json(table).dump(2) << '\n';
        else
            print_text(table, arguments.format == "latex", session.verbose);
    }
    return 0;
}

}  // namespace

void add_constants(CLI::App& app, Session& session) {
    auto a = std::make_shared<ConstantsArguments>();
    auto* command = app.add_subcommand("constants", "Constants of the loss's expansion, in closed form");
    command->add_option("activation", a->activation, "softmax, softmax-1, bayes-softmax, all, or a TOML file")
        ->required();
    command->add_option("--tokens", a->tokens, "L, an integer >= 2");
    command->add_option("--heads", a->heads, "H, an integer >= 1");
    command->add_option("--exp-bias", a->exp_bias, "B = e^b > 0; rationals such as 1/3 are exact, here and below");
    command->add_option("--scale", a->scale, "v; without it an activation with a scale is on the line L mean = 1");
    command->add_option("--var", a->var, "V = Var theta_f");
    command->add_option("--var-learnt", a->var_learnt, "W = Var of the feature already learnt");
    command->add_option("--parameter", a->parameters, "NAME=VALUE for a parameter of the activation's file")
        ->allow_extra_args(false);
    command->add_option("--order", a->orders, "1, 2, 3 (skewness, biases) or 4; default 1, 2 and 4")
        ->allow_extra_args(false)
        ->check(CLI::Range(1, 4));
    command->add_option("--format", a->format, "text, latex or json; markdown makes docs/constants.md")
        ->check(CLI::IsMember({"text", "latex", "json", "markdown"}))
        ->capture_default_str();
    session.add_common(*command,
                       "  lemmata constants softmax --order 2\n"
                       "  lemmata constants softmax-1 --tokens 5 --heads 4 --exp-bias 1/2 --json\n"
                       "  lemmata constants sigmoid.toml -v          with the proofs of the signs");
    command->callback([&session, a] { session.action = [&session, a] { return run(*a, session); }; });
}

}  // namespace lemmata::verify
