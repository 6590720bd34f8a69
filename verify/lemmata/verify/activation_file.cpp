#include <lemmata/error.hpp>
#include <lemmata/verify/activation_file.hpp>
#include <lemmata/verify/toml_section.hpp>

#include <fmt/format.h>
#include <filesystem>

namespace lemmata::verify {

symbolic::ActivationFamily parse_activation(std::string_view text, const std::string& source,
                                            const symbolic::Symbols& symbols) {
    const toml::table table = parse_toml(text, source);
    try {
        TomlSection document(table, "");
        TomlSection section = document.required("activation", document.section("activation"));
        document.finish();
        symbolic::ActivationDefinition definition;
        definition.name = section.required("name", section.text("name"));
        definition.weight = section.required("weight", section.text("weight"));
        definition.denominator = section.required("denominator", section.text("denominator"));
        definition.scale = section.text("scale").value_or("1");
        definition.parameters = section.texts("parameters").value_or(std::vector<std::string>{});
        section.finish();
        return define_activation(definition, symbols);
    } catch (const InvalidInput& e) {
        throw e.within(source);
    }
}

symbolic::ActivationFamily activation_named(const std::string& name_or_file, const symbolic::Symbols& symbols) {
    for (const symbolic::ActivationDefinition& builtin : symbolic::builtin_activations())
        if (builtin.name == name_or_file) return define_activation(builtin, symbols);
    if (!std::filesystem::exists(name_or_file))
        throw InvalidInput("activation", fmt::format("\"{}\"", name_or_file),
                           "softmax, softmax-1, bayes-softmax or a TOML file");
    return parse_activation(read_text(name_or_file), name_or_file, symbols);
}

}  // namespace lemmata::verify
