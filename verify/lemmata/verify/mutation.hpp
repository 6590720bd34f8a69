// Mutation testing of the ledger: a claim's formula is broken in one place after another
// (lemmata/symbolic/mutants.hpp) and its check must refute each version. A mutant is equivalent, another
// way to write the same, if the check proves it or its normal form is that of the original. One that is
// neither refuted nor equivalent survived, and shows a check that cannot fail.
#pragma once

#include <lemmata/verify/check.hpp>
#include <lemmata/verify/claim.hpp>

#include <functional>
#include <string>
#include <vector>

namespace lemmata::verify {

struct MutationReport {
    std::string id;
    int refuted = 0;
    std::vector<std::string> equivalent;
    std::vector<std::string> survived;

    [[nodiscard]] int total() const {
        return refuted + static_cast<int>(equivalent.size()) + static_cast<int>(survived.size());
    }
};

// Mutants of the printed formula or, where that is refuted, of the corrected one. Claims without a
// formula that their check judges, and formulas that do not stand (proved or supported), are passed over: no report.
std::vector<MutationReport> mutate_claims(const std::vector<std::string>& wanted, const Context& context,
                                          const std::function<void(double, const std::string&)>& progress = {});

}  // namespace lemmata::verify
