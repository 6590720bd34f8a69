// What a ledger found wrong, gathered for a reader: the same slip met for several activations is one
// erratum.
#pragma once

#include <lemmata/verify/ledger.hpp>

#include <string>
#include <vector>

namespace lemmata::verify {

// Refuted, vacuous, or mended without being false.
bool is_erratum(const Entry& entry);

struct Erratum {
    std::string id;                        // without the activation where that differs: "lemma-A.5/c2"
    std::vector<const Entry*> entries;     // at least one, in the order of the ledger, which owns them
    std::vector<std::string> activations;  // those of the entries, if there are several
};

// In the order of the paper.
std::vector<Erratum> errata(const Ledger& ledger);

// The first evidence that violates the printed form; none if the form is too ill to be judged.
const Evidence* witness(const Entry& entry);

// A value to the digits that its error leaves meaningful; expressions as they are.
std::string shown(const Evidence::Value& value, double error);

}  // namespace lemmata::verify
