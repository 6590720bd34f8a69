// The population loss at r = 0 for one feature, by a tensor Gauss-Hermite rule over the tokens'
// scores: slow, plain, and independent of the engines; for tests. Exact to rounding for scores of
// standard deviation below about 0.3 with 10 nodes.
#pragma once

#include <lemmata/flow.hpp>
#include <lemmata/gauss_hermite.hpp>
#include <lemmata/problem.hpp>

#include <cmath>
#include <vector>

namespace toy {

// Prior N(0, variance), F = 1, `tokens` tokens; gradient in m, b and v (that in r is 0 at r = 0).
inline lemmata::LossFunction tensor_loss(lemmata::Activation activation, int tokens, double variance, int nodes = 10) {
    using namespace lemmata;
    const QuadratureRule rule = gauss_hermite(nodes);
    return [=](const State& state) {
        const int heads = state.heads();
        Gradient gradient = zero_state(heads, 1);
        double loss = 0;
        std::vector<std::size_t> at(static_cast<std::size_t>(tokens), 0);
        while (true) {
            Eigen::RowVectorXd chi_star(tokens);
            double weight = 1;
            for (int l = 0; l < tokens; ++l) {
                const auto i = static_cast<Eigen::Index>(at[static_cast<std::size_t>(l)]);
                chi_star[l] = rule.nodes[i] * (l == 0 ? std::sqrt(1 + variance) : 1);
                weight *= rule.weights[i];
            }
            const Eigen::MatrixXd chi = state.m * chi_star;
            Eigen::RowVectorXd miss = -attend(activation, chi, state.b, state.v).colwise().mean();
            miss[0] += 1;
            loss += weight * miss.squaredNorm();
            const Eigen::MatrixXd w = (-2.0 / heads) * miss.replicate(heads, 1);
            const Pullback back = pull_back(activation, chi, state.b, state.v, w);
            gradient.m += weight * back.chi * chi_star.transpose();
            gradient.b += weight * back.b;
            gradient.v += weight * back.v;
            std::size_t digit = 0;
            while (digit < at.size() && ++at[digit] == static_cast<std::size_t>(rule.nodes.size())) at[digit++] = 0;
            if (digit == at.size()) break;
        }
        return LossEstimate{{loss, 0}, GradientEstimate{gradient, zero_state(heads, 1)}, "tensor rule"};
    };
}

}  // namespace toy
