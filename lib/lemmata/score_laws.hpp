// The scores of one token under every head, as laws [2603.03993v1, eq. (11)].
//
//   null token      N(0, q),                     q = m m^T + r r^T
//   relevant token  sum_k weight_k N(m mu_k, q + m V_k m^T)
//
// The loss sees m and r through these laws only; chain_rule takes derivatives back.
#pragma once

#include <lemmata/problem.hpp>

#include <Eigen/Core>
#include <vector>

namespace lemmata {

struct ScoreLaw {
    double weight = 1;
    Eigen::VectorXd mean;        // H
    Eigen::MatrixXd covariance;  // H x H
};

struct ScoreLaws {
    ScoreLaw null;
    std::vector<ScoreLaw> relevant;
};

ScoreLaws score_laws(const Problem& problem, const State& state);

// Derivatives of a loss in the laws: in each mean, and G with dE = sum_ij G_ij dCov_ij, G symmetric.
// null.mean is not used: it is 0 whatever the state.
struct ScoreLawsAdjoint {
    Eigen::MatrixXd null;                      // H x H
    std::vector<Eigen::VectorXd> means;        // for each component, H
    std::vector<Eigen::MatrixXd> covariances;  // for each component, H x H
};

ScoreLawsAdjoint zero_adjoint(const ScoreLaws& laws);

// The m and r parts of a gradient; b and v are 0.
Gradient chain_rule(const Problem& problem, const State& state, const ScoreLawsAdjoint& adjoint);

// Errors through the same sums, with absolute values: entry by entry, a bound if those given are bounds.
Gradient chain_rule_error(const Problem& problem, const State& state, const ScoreLawsAdjoint& error);

}  // namespace lemmata
