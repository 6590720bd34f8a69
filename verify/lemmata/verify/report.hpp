// The report of a verification run: ledger.json, timings.json, report.md and, when pandoc is
// installed, a self-contained index.html.
#pragma once

#include <lemmata/verify/ledger.hpp>

#include <filesystem>
#include <string>

namespace lemmata::verify {

void write_report(const std::filesystem::path& folder, const Ledger& ledger);

// The same ledger as Markdown with LaTeX mathematics: errata first, then every claim.
std::string report_markdown(const Ledger& ledger);

}  // namespace lemmata::verify
