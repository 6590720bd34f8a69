#include <lemmata/verify/prose.hpp>

namespace lemmata::verify {
namespace {

// Bars end the cells of a table, and TeX has another word for them.
std::string mathematics(std::string_view tex) {
    std::string out;
    for (std::size_t i = 0; i < tex.size(); ++i) {
        if (tex[i] == '\\' && i + 1 < tex.size()) {
            out += tex[i];
            out += tex[++i];
        } else if (tex[i] == '|') {
            out += "\\vert ";
        } else {
            out += tex[i] == '\n' ? ' ' : tex[i];
        }
    }
    return out;
}

std::string words(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("\\`*_{}[]<>#^~|$").find(c) != std::string_view::npos) out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out;
}

}  // namespace

std::string code(std::string_view text) {
    if (text.empty() || text.find_first_of("`|\n") != std::string_view::npos) return words(text);
    return "`" + std::string(text) + "`";
}

std::string prose(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t open = text.find_first_of("$`");
        const std::size_t close = open == std::string_view::npos ? open : text.find(text[open], open + 1);
        if (close == std::string_view::npos) return out + words(text);
        const std::string_view inside = text.substr(open + 1, close - open - 1);
        out += words(text.substr(0, open));
        out += text[open] == '$' ? "$" + mathematics(inside) + "$" : code(inside);
        text.remove_prefix(close + 1);
    }
    return out;
}

std::string html_escaped(std::string_view text) {
    std::string out;
    for (const char c : text) switch (c) {
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '&':
                out += "&amp;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    return out;
}

}  // namespace lemmata::verify
