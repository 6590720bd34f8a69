// Ledgers on disk. A record is the ledger of a single claim, in a file of its own: what the test
// `claim.<id>` leaves, so that claims checked one by one, in any order, by separate processes give
// the same ledger.json as one run of them all.
#pragma once

#include <lemmata/verify/ledger.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace lemmata::verify {

// The inverse of to_json(Ledger): giving the result to to_json again returns the same document.
// InvalidInput if the document is not a ledger.
Ledger ledger_from_json(const nlohmann::ordered_json& json);
Ledger read_ledger(const std::filesystem::path& file);

// The claim's id with dots for slashes: the name of its record and, after "claim.", of its test.
std::string record_name(const std::string& id);

// A file "<record name>.json" in the folder for every entry. Throws as write_file does.
void write_records(const std::filesystem::path& folder, const Ledger& ledger);

// The records of the claims wanted (as for select_claims), in the order of the ledger. Unfinished if
// one is missing or was written before `oldest`; InvalidInput if they differ in tier or seed.
Ledger read_records(const std::filesystem::path& folder, const std::vector<std::string>& wanted,
                    std::filesystem::file_time_type oldest);

// Verdict and numbers as <CTestMeasurement> elements, one a line, for CTest and its dashboards.
std::string measurements(const Entry& entry);

}  // namespace lemmata::verify
