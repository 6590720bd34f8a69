// The report of a verification run: ledger.json and timings.json; from the ledger report.md, and from
// that, where pandoc is installed, index.html: one file that needs no network, with mathematics as
// MathML, pictures inside, and a small script to filter and search that it can do without.
//
// The same ledger and figures give the same bytes, except for the line of class "stamp", which tells
// the time (SOURCE_DATE_EPOCH, if set).
#pragma once

#include <lemmata/verify/gallery.hpp>
#include <lemmata/verify/ledger.hpp>

#include <filesystem>
#include <string>

namespace lemmata::verify {

// ledger.json and timings.json.
void write_ledger(const std::filesystem::path& folder, const Ledger& ledger);

// report.md and index.html, with the figures that lie in the folder. Returns a remark if there can be
// no index.html for want of pandoc (one of an earlier run is removed: it would speak of another
// ledger), else nothing. Unfinished if a file cannot be written; the old one is then untouched.
std::string write_pages(const std::filesystem::path& folder, const Ledger& ledger);

// Markdown with LaTeX mathematics: counts and errata, then every claim, constants, accuracy, figures,
// versions.
std::string report_markdown(const Ledger& ledger, const std::vector<Picture>& pictures = {});

}  // namespace lemmata::verify
