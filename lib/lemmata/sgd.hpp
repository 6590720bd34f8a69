// Stochastic gradient descent in D dimensions [2603.03993v1, eqs. (1)-(6)]: the real algorithm,
// against which the flow of the order parameters (flow.hpp) is judged.
//
//   spikes      k*_f ~ N(0, I_D / D), f = 1..F, fixed
//   sequence    eps uniform on 1..L, theta ~ P_theta, X_l ~ N(delta_{l,eps} sum_f theta_f k*_f, I_D)
//   prediction  yhat = (1/H) sum_hl sigma_hl X_l, scores chi_hl = k_h . X_l, label y = X_eps
//   batch loss  (1/N_b) sum (1/D) |y - yhat|^2 over N_b fresh sequences
//   step        (k, b, v) -= rate * gradient of the batch loss; effective time tau = rate * steps
//
// Nothing of a batch is stored: a sequence is generated, projected, attended to and accumulated
// while it sits in a core's cache. Tokens and their products are single precision, sums over
// coordinates beyond 256 and over sequences double. Every number drawn is a function of (seed,
// step, sequence, index), and sums have a fixed order: the result has the same bits for any number
// of threads, and a run continued from a copy of SgdState is the run itself.
//
// Cost of a step: N_b L D normal numbers (about 0.9 ns each and core) and 4 N_b L D H
// multiplications; memory: (L D) floats per thread and at most 64 D H doubles.
#pragma once

#include <lemmata/estimate.hpp>
#include <lemmata/problem.hpp>

#include <Eigen/Core>
#include <cstdint>

namespace lemmata {

struct SgdOptions {
    int dimension = 1000;       // D
    std::int64_t batch = 1000;  // N_b
    double rate = 0.02;         // gamma
    std::uint64_t seed = 1;
};

// Throws InvalidInput, naming `sgd.…` fields.
void validate(const SgdOptions& options);

// All that changes along a run, and all that a checkpoint needs.
struct SgdState {
    std::uint64_t steps = 0;
    Eigen::MatrixXd k;  // D x H
    Eigen::VectorXd b;  // H
    double v = 1;
};

// k* (D x F) of a run with these options.
Eigen::MatrixXd hidden_spikes(int features, const SgdOptions& options);

// k_h ~ N(0, eta^2 I_D / D), b = 0, v = 1.
SgdState sgd_start(int heads, double eta, const SgdOptions& options);

// Weights with exactly these overlaps: m = k . k*, q - m p^-1 m^T = r r^T, the directions
// orthogonal to the spikes random. Needs D >= F + H.
SgdState sgd_start_at(const State& state, const Eigen::MatrixXd& spikes, const SgdOptions& options);

// One step; returns the loss of its batch, before the step, with its standard error.
Estimate sgd_step(const Problem& problem, const Eigen::MatrixXd& spikes, const SgdOptions& options, SgdState& state);

// What the theory keeps of D-dimensional weights [eqs. (8)-(9)].
struct Overlaps {
    Eigen::MatrixXd m;  // H x F, k_h . k*_f
    Eigen::MatrixXd q;  // H x H, k_h . k_h'
    Eigen::MatrixXd p;  // F x F, k*_f . k*_f'
};

Overlaps overlaps(const SgdState& state, const Eigen::MatrixXd& spikes);

// R = q - m p^-1 m^T, what the heads share outside the span of the spikes.
Eigen::MatrixXd orthogonal_overlap(const Overlaps& overlaps);

// At finite D the spikes are not orthonormal, k* = O p^{1/2} with O orthonormal. The same data and
// heads in the basis O: features p^{1/2} theta, overlaps m p^{-1/2}, the same R. In it the flow of
// the limit needs no correction by p. `order_parameters` are the overlaps in that basis (r the
// symmetric root of R), `orthonormal_problem` the problem, and
// `overlap_with_spikes` the way back to m.
State order_parameters(const Overlaps& overlaps, const Eigen::VectorXd& b, double v);
Problem orthonormal_problem(const Problem& problem, const Eigen::MatrixXd& p);
Eigen::MatrixXd overlap_with_spikes(const Eigen::MatrixXd& m_orthonormal, const Eigen::MatrixXd& p);

}  // namespace lemmata
