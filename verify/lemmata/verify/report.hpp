// The report of a verification run: ledger.json, timings.json, report.md and, when pandoc is
// installed, a self-contained index.html.
#pragma once

#include <lemmata/verify/ledger.hpp>

#include <filesystem>
#include <string>

namespace lemmata::verify {

// ledger.json and timings.json.
void write_ledger(const std::filesystem::path& folder, const Ledger& ledger);

// report.md and index.html. Returns a remark if there can be no index.html for want of pandoc, else
// nothing. Unfinished if a file cannot be written; the old one is then untouched.
std::string write_pages(const std::filesystem::path& folder, const Ledger& ledger);

// The same ledger as Markdown with LaTeX mathematics: errata first, then every claim.
std::string report_markdown(const Ledger& ledger);

}  // namespace lemmata::verify
