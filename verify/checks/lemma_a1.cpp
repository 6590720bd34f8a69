// Lemma A.1: on the unspecialized manifold the gradient is tangent to it. Attacked: points of the
// manifold for all kinds of priors; the part of the gradient that leaves the manifold is measured.
#include "checks/checks.hpp"

#include <lemmata/loss_exact.hpp>
#include <lemmata/verify/falsifier.hpp>

namespace lemmata::verify::checks {
namespace {

// The gradient minus its average over all permutations of the heads.
Gradient leaving_part(const Gradient& g) {
    const double heads = static_cast<double>(g.heads());
    Gradient average = g;
    average.m.rowwise() = g.m.colwise().mean();
    const double diagonal = g.r.trace() / heads;
    const double rest = (g.r.sum() - g.r.trace()) / (heads * (heads - 1));
    average.r.setConstant(rest);
    average.r.diagonal().setConstant(diagonal);
    average.b.setConstant(g.b.mean());
    return unflatten(flatten(g) - flatten(average), g.heads(), g.features());
}

std::vector<Evidence> run(const Claim&, const Context& context) {
    Hunt hunt;
    hunt.conform = [](ModelCase c) -> std::optional<ModelCase> {
        const Eigen::Index heads = c.state.heads();
        if (heads < 2) return std::nullopt;  // nothing to leave
        const double one = 0.1 + c.state.r.norm(), two = 0.2 * c.state.r(0, 1);
        c.state.m.rowwise() = c.state.m.row(0).eval();
        c.state.r = Eigen::MatrixXd::Constant(heads, heads, two);
        c.state.r.diagonal().array() += one;
        c.state.b.setConstant(c.state.b[0]);
        return c;
    };
    hunt.violation = [](const ModelCase& c) -> Violation {
        ExactOptions options;
        options.gradient = true;
        const LossEstimate on = loss_exact(c.problem, c.state, options);
        // Scale: what leaves the manifold one step off it, at a first head moved by 0.1.
        ModelCase off = c;
        off.state.m(0, 0) += 0.1;
        const LossEstimate control = loss_exact(off.problem, off.state, options);
        const double factor = on.loss.kind == ErrorKind::bound ? 1 : 4;
        return {flatten(leaving_part(on.gradient->value)).cwiseAbs().maxCoeff(),
                2 * factor * flatten(on.gradient->error).cwiseAbs().maxCoeff(),
                flatten(leaving_part(control.gradient->value)).cwiseAbs().maxCoeff()};
    };
    hunt.draws = context.tier == Tier::quick ? 150 : 600;
    return {attack(Form::printed, "part of the gradient that leaves the manifold", hunt, context)};
}

}  // namespace

std::vector<Check> lemma_a1() {
    return {{"lemma-A.1", {"counterexample search"}, run}};
}

}  // namespace lemmata::verify::checks
