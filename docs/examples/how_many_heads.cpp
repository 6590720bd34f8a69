// How many heads do I need for a loss within 5% of the Bayes risk, and how many for 0.5%?
#include <lemmata/bayes_risk.hpp>
#include <lemmata/flow.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/polish.hpp>

#include <cstdio>

int main() {
    using namespace lemmata;
    const Problem problem{Activation::bayes_softmax, 5, Prior::gaussian(Eigen::VectorXd::Constant(1, 8.0))};
    const double bayes = bayes_risk(problem.prior, problem.tokens).risk.value;
    std::printf("Bayes risk %.6f\n", bayes);
    const LossFunction loss = [&](const State& state) { return loss_exact(problem, state, {1e-9, true}); };
    for (int heads = 1; heads <= 8; ++heads) {
        // Heads spread evenly; what lies outside the feature is noise, and r = 0 stays 0.
        const Eigen::VectorXd m = heads == 1 ? Eigen::VectorXd::Ones(1).eval()
                                             : Eigen::VectorXd::LinSpaced(heads, -3, 3).eval();
        FlowOptions options;
        options.until = 100;
        const FlowResult path = flow(loss, state_at(m), options);
        const double limit = polish(loss, last_state(path.path)).loss.value;
        std::printf("%d heads: loss %.6f, %.2f%% above\n", heads, limit, 100 * (limit / bayes - 1));
        if (limit < 1.005 * bayes) break;
    }
}
