// Prop. IV.1: the posterior of the relevant token, by completing the square in GiNaC.
#include "checks/checks.hpp"

#include <lemmata/symbolic/bayes_posterior.hpp>
#include <lemmata/symbolic/printer.hpp>

namespace lemmata::verify::checks {
namespace {

Evidence identity(Form form, const std::string& quantity, const symbolic::Equality& equality) {
    Evidence e;
    e.form = form;
    e.method = "symbolic";
    e.quantity = equality.witness.empty() ? quantity : quantity + " at " + symbolic::print(equality.witness);
    e.expected = "0";
    e.measured = equality.truth == symbolic::Truth::yes ? "0" : "not 0";
    e.outcome = equality.truth == symbolic::Truth::yes
                    ? Outcome::holds
                    : (equality.truth == symbolic::Truth::no ? Outcome::violated : Outcome::undecided);
    e.proof = e.outcome == Outcome::holds;
    return e;
}

// With the Gram matrix p in place all four identities hold; p = I then gives the printed formula.
std::vector<Evidence> in_the_limit(const Claim&, const Context&) {
    const auto d = symbolic::derive_posterior();
    return {identity(Form::printed, "log-likelihood ratio minus (theta.t - theta' p theta/2)", d.likelihood),
            identity(Form::printed, "completed square minus the exponent", d.square),
            identity(Form::printed, "exponent minus that of the ratio of densities", d.exponent),
            identity(Form::printed, "normalisation minus that of the ratio of densities", d.determinant)};
}

std::vector<Evidence> at_finite_dimension(const Claim&, const Context&) {
    const auto d = symbolic::derive_posterior();
    return {identity(Form::printed, "log-likelihood ratio minus (theta.t - |theta|^2/2)", d.printed),
            identity(Form::corrected, "log-likelihood ratio minus (theta.t - theta' p theta/2)", d.likelihood)};
}

}  // namespace

std::vector<Check> prop_iv1() {
    return {{"prop-IV.1", {"symbolic"}, in_the_limit}, {"prop-IV.1/finite-D", {"symbolic"}, at_finite_dimension}};
}

}  // namespace lemmata::verify::checks
