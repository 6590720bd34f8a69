#include <lemmata/verify/prose.hpp>
#include <lemmata/verify/verdict_mark.hpp>

#include <fmt/format.h>

namespace lemmata::verify {

std::string_view symbol(std::string_view verdict) {
    if (verdict == "proved" || verdict == "holds") return "✓";
    if (verdict == "supported") return "≈";
    if (verdict == "refuted" || verdict == "violated") return "✗";
    if (verdict == "vacuous") return "∅";
    return "?";
}

std::string verdict_mark(std::string_view verdict) {
    const std::string word = html_escaped(verdict);
    return fmt::format("<span class=\"verdict {}\"><span aria-hidden=\"true\">{}</span> {}</span>", word,
                       symbol(verdict), word);
}

}  // namespace lemmata::verify
