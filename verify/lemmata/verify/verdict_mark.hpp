// Verdicts for readers: a symbol and a word, so that colour is never needed to tell them apart.
#pragma once

#include <lemmata/verify/evidence.hpp>

#include <string>
#include <string_view>

namespace lemmata::verify {

std::string_view symbol(std::string_view verdict);  // of a verdict's or an outcome's name

// "✓ proved" as HTML that carries its own class, for Markdown.
std::string verdict_mark(std::string_view verdict);

}  // namespace lemmata::verify
