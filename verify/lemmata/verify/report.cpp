#include <lemmata/error.hpp>
#include <lemmata/verify/embedded.hpp>
#include <lemmata/verify/file.hpp>
#include <lemmata/verify/program.hpp>
#include <lemmata/verify/report.hpp>

#include <fmt/format.h>

namespace lemmata::verify {
namespace {

std::string asset(std::string_view name) {
    for (const auto& file : embedded_page())
        if (file.name == name) return std::string(file.text);
    throw std::logic_error("no such part of the page");
}

void fill(std::string& page, std::string_view slot, const std::string& text) {
    page.replace(page.find(slot), slot.size(), text);
}

}  // namespace

void write_ledger(const std::filesystem::path& folder, const Ledger& ledger) {
    write_file(folder / "ledger.json", to_json(ledger).dump(2) + "\n");
    write_file(folder / "timings.json", timings(ledger).dump(2) + "\n");
}

std::string write_pages(const std::filesystem::path& folder, const Ledger& ledger) {
    const auto figures = pictures(folder);
    const auto markdown = folder / "report.md";
    const auto html = folder / "index.html";
    write_file(markdown, report_markdown(ledger, figures));
    if (!installed("pandoc")) {
        std::error_code ignored;
        std::filesystem::remove(html, ignored);
        return fmt::format("{}: not written, because pandoc is not installed; {} has the same text", html.string(),
                           markdown.string());
    }
    const auto body = output_of({"pandoc", "--from=markdown-yaml_metadata_block", "--to=html5", "--mathml",
                                 "--wrap=none", "--columns=100000", std::filesystem::absolute(markdown).string()});
    if (!body) throw Unfinished(fmt::format("{}: pandoc failed ({} is there)", html.string(), markdown.string()));
    std::string page = asset("page.html");
    fill(page, "{{style}}", asset("style.css"));
    fill(page, "{{script}}", asset("script.js"));
    fill(page, "{{body}}", with_pictures(*body, figures));
    write_file(html, page);
    return {};
}

}  // namespace lemmata::verify
