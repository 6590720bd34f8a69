// A ledger on the terminal, for `verify` and `report`.
#pragma once

#include "commands/session.hpp"

#include <lemmata/verify/ledger.hpp>
#include <lemmata/verify/mutation.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace lemmata::verify {

// A line per claim if there are few or `verbose`, else a line per result of the paper. Verbose adds
// the evidence. Then what is open, the errata, and how many claims have which verdict.
void print_ledger(const Ledger& ledger, bool verbose);

// A line per result, and every survivor; verbose lists equivalent mutants too.
void print_mutants(const std::vector<MutationReport>& reports, bool verbose);

// write_pages, where Ctrl-C while pandoc works is an interruption and no failure of pandoc. Remarks
// go to standard error.
void write_pages_or_stop(const std::filesystem::path& folder, const Ledger& ledger);

// Text broken between words into lines below the terminal's width (100 if it is none), indented.
std::string wrapped(const std::string& text, int indent);

}  // namespace lemmata::verify
