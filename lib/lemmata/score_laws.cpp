#include <lemmata/score_laws.hpp>

namespace lemmata {
namespace {

Gradient chain(const Eigen::MatrixXd& m, const Eigen::MatrixXd& r, const std::vector<Component>& components,
               const ScoreLawsAdjoint& adjoint, bool absolute) {
    Gradient gradient = zero_state(static_cast<int>(m.rows()), static_cast<int>(m.cols()));
    Eigen::MatrixXd common = adjoint.null;  // every law contains q
    for (std::size_t k = 0; k < components.size(); ++k) {
        const Eigen::VectorXd mean = absolute ? components[k].mean.cwiseAbs() : components[k].mean;
        const Eigen::MatrixXd covariance = absolute ? components[k].covariance.cwiseAbs() : components[k].covariance;
        common += adjoint.covariances[k];
        gradient.m += adjoint.means[k] * mean.transpose() + 2 * adjoint.covariances[k] * m * covariance;
    }
    gradient.m += 2 * common * m;
    gradient.r = 2 * common * r;
    return gradient;
}

}  // namespace

ScoreLaws score_laws(const Problem& problem, const State& state) {
    const Eigen::MatrixXd q = score_covariance(state);
    ScoreLaws laws;
    laws.null = {1, Eigen::VectorXd::Zero(state.heads()), q};
    for (const Component& component : problem.prior.components())
        laws.relevant.push_back(
            {component.weight, state.m * component.mean, q + state.m * component.covariance * state.m.transpose()});
    return laws;
}

ScoreLawsAdjoint zero_adjoint(const ScoreLaws& laws) {
    const Eigen::Index heads = laws.null.mean.size();
    return {Eigen::MatrixXd::Zero(heads, heads),
            {laws.relevant.size(), Eigen::VectorXd::Zero(heads)},
            {laws.relevant.size(), Eigen::MatrixXd::Zero(heads, heads)}};
}

Gradient chain_rule(const Problem& problem, const State& state, const ScoreLawsAdjoint& adjoint) {
    return chain(state.m, state.r, problem.prior.components(), adjoint, false);
}

Gradient chain_rule_error(const Problem& problem, const State& state, const ScoreLawsAdjoint& error) {
    return chain(state.m.cwiseAbs(), state.r.cwiseAbs(), problem.prior.components(), error, true);
}

}  // namespace lemmata
