#include <lemmata/error.hpp>
#include <lemmata/verify/gallery.hpp>
#include <lemmata/verify/prose.hpp>
#include <lemmata/verify/toml_section.hpp>
#include <lemmata/verify/verdict_mark.hpp>

#include <fmt/format.h>
#include <algorithm>

namespace lemmata::verify {
namespace {

using Json = nlohmann::ordered_json;

std::string base64(std::string_view bytes) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8U | (k < left ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k) out += k <= left ? letters[group >> (18 - 6 * k) & 63U] : '=';
    }
    return out;
}

std::string shown(const Json& value) {
    if (value.is_null()) return "";
    if (value.is_number_float()) return fmt::format("{:.5g}", value.get<double>());
    return prose(value.is_string() ? value.get<std::string>() : value.dump());
}

std::string statements_table(const Json& statements) {
    std::string text =
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Statements about the figure\">\n\n"
        "| verdict | statement | measured by | claimed | found | uncertainty |\n|:---|:---|:---|---:|---:|---:|\n";
    for (const Json& s : statements)
        text +=
            fmt::format("| {} | {} | {} | {} | {} | {} |\n", verdict_mark(s.value("verdict", "inconclusive")),
                        prose(s.value("text", "")), prose(s.value("quantity", "")), shown(s.value("expected", Json())),
                        shown(s.value("measured", Json())), shown(s.value("uncertainty", Json())));
    return text + "\n</div>\n\n";
}

}  // namespace

std::vector<Picture> pictures(const std::filesystem::path& report) {
    std::vector<Picture> all;
    std::error_code none;
    for (const auto& folder : std::filesystem::directory_iterator(report / "figures", none)) {
        const std::string name = folder.path().filename().string();
        const auto record = folder.path() / (name + ".json");
        const auto svg = folder.path() / (name + ".svg");
        if (!std::filesystem::exists(record) || !std::filesystem::exists(svg)) continue;
        try {
            all.push_back({fmt::format("figures/{}/{}.svg", name, name), read_text(svg.string()),
                           Json::parse(read_text(record.string()))});
            all.back().record.at("figure").get<int>();
            all.back().record.at("title").get<std::string>();
        } catch (const Json::exception& e) {
            throw InvalidInput(record.string(), e.what(), "a figure's record");
        }
    }
    std::sort(all.begin(), all.end(), [](const Picture& a, const Picture& b) {
        return std::pair(a.record["figure"].get<int>(), a.file) < std::pair(b.record["figure"].get<int>(), b.file);
    });
    return all;
}

std::string gallery_markdown(const std::vector<Picture>& pictures) {
    std::string text;
    for (const Picture& p : pictures) {
        const std::string title = p.record["title"];
        const std::string tier = p.record.value("tier", "");
        text += fmt::format("### Figure {}\n\n{}{}\n\n", p.record["figure"].get<int>(), prose(title),
                            tier.empty() ? "" : fmt::format(" <span class=\"tag\">{} tier</span>", html_escaped(tier)));
        text += fmt::format("<img class=\"picture\" src=\"{}\" alt=\"Figure {}: {}\" loading=\"lazy\">\n\n", p.file,
                            p.record["figure"].get<int>(), html_escaped(title));
        if (const Json statements = p.record.value("statements", Json::array()); !statements.empty())
            text += statements_table(statements);
        if (const Json choices = p.record.value("choices", Json::object()); !choices.empty()) {
            text += "<details>\n<summary>What the caption leaves open, and what was taken</summary>\n\n";
            for (const auto& [key, value] : choices.items())
                text += fmt::format("- {}: {}\n", prose(key), shown(value));
            text += "\n</details>\n\n";
        }
    }
    return text;
}

std::string with_pictures(std::string html, const std::vector<Picture>& pictures) {
    for (const Picture& p : pictures) {
        const std::string link = "src=\"" + p.file + "\"";
        // As an image of its own: the ids inside one SVG cannot meet those of another.
        const std::string inside = "src=\"data:image/svg+xml;base64," + base64(p.svg) + "\"";
        for (std::size_t at = 0; (at = html.find(link, at)) != std::string::npos; at += inside.size())
            html.replace(at, link.size(), inside);
    }
    return html;
}

}  // namespace lemmata::verify
