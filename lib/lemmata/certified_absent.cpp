// Compiled instead of the certified functions where Arb is missing.
#include <lemmata/bayes_risk_certified.hpp>
#include <lemmata/error.hpp>
#include <lemmata/loss_certified.hpp>

namespace lemmata {
namespace {

[[noreturn]] Enclosure absent() {
    throw Unfinished(
        "certified: this build lacks Arb; install it (Debian: apt-get install libflint-arb-dev), configure and build "
        "again");
}

}  // namespace

bool certified_available() {
    return false;
}

Enclosure bayes_risk_certified(const Prior&, std::int64_t, int) {
    absent();
}

Enclosure loss_certified(const Problem&, const State&, int) {
    absent();
}

}  // namespace lemmata
