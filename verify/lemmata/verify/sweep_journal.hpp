// Answers of a sweep on disk, one line each, as they come: `journal.jsonl`.
//
// A line is appended and flushed to the disk before add() returns, so a process killed at any moment
// loses no finished point; a line cut short is dropped when the journal is opened again. The first
// line says which sweep it belongs to. One process at a time may hold it.
#pragma once

#include <lemmata/verify/json.hpp>

#include <filesystem>
#include <string>
#include <unordered_map>

namespace lemmata::verify {

class SweepJournal {
public:
    // InvalidInput if the folder's journal is of another sweep, is damaged, or is in use; Unfinished
    // if it cannot be written.
    SweepJournal(const std::filesystem::path& folder, const std::string& identity);
    ~SweepJournal();
    SweepJournal(const SweepJournal&) = delete;
    SweepJournal& operator=(const SweepJournal&) = delete;

    // The answer at these settings, if it is there.
    [[nodiscard]] const Json* find(const Json& settings) const;
    void add(const Json& settings, const Json& answer);

private:
    void append(const Json& line);

    std::filesystem::path file_;
    int descriptor_;
    std::unordered_map<std::string, Json> answers_;
};

}  // namespace lemmata::verify
