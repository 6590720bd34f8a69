// Words, $LaTeX$ and `code`, as claims and evidence are worded, for Markdown.
#pragma once

#include <string>
#include <string_view>

namespace lemmata::verify {

// Markdown that shows the text: mathematics and code stay, every other character stands for itself.
// One line, fit for a cell of a table.
std::string prose(std::string_view text);

// Markdown for an expression: `text`, or plain words where code cannot show it.
std::string code(std::string_view text);

// For attributes and text of HTML and XML.
std::string html_escaped(std::string_view text);

}  // namespace lemmata::verify
