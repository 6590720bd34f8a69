// Where the attention is: its order parameters [2603.03993v1, eqs. (8)-(9)].
//
//   m (H x F)  overlap of head h with feature f
//   r (H x H)  any factor of R = r r^T, the heads' overlap outside the span of the features.
//              The paper takes the symmetric root; the loss sees R only.
//   b (H)      biases; softmax ignores them
//   v          output scale; softmax-1 only
//
// A gradient of the loss lives in the same space, so it has the same type. The gradient in r is
// that of an unconstrained factor: dE/dr = 2 (dE/dR) r with dE/dR symmetric.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace lemmata {

struct State {
    Eigen::MatrixXd m;
    Eigen::MatrixXd r;
    Eigen::VectorXd b;
    double v = 1;

    [[nodiscard]] int heads() const { return static_cast<int>(m.rows()); }
    [[nodiscard]] int features() const { return static_cast<int>(m.cols()); }
};

using Gradient = State;

// m with r = 0, b = 0, v = 1.
State state_at(const Eigen::MatrixXd& m);

// The zero vector of the space with H heads and F features (v = 0 too).
State zero_state(int heads, int features);

// Covariance of a null token's scores: q = m m^T + r r^T.
Eigen::MatrixXd score_covariance(const State& state);

// The start of a run [2603.03993v1, App. B]: m = 0, r = eta I, b = 0, v = 1, and independent
// N(0, noise^2) added to every entry of m and r, from the counter-based generator at `seed`.
State random_state(int heads, int features, double eta, double noise, std::uint64_t seed);

// m, r, b (column by column) and v as one vector of length HF + H^2 + H + 1, and back.
Eigen::VectorXd flatten(const State& state);
State unflatten(const Eigen::Ref<const Eigen::VectorXd>& flat, int heads, int features);

}  // namespace lemmata
