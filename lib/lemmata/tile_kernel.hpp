// The loss and its gradient on one tile of samples (samples.hpp): the inner loop of
// loss_monte_carlo. Internal.
//
// Lanes are sequences, so everything but the last sum is free of horizontal operations. The two
// products (scores = inputs * mixing, gradient = derivatives^T * inputs) are blocked by hand:
// with 11 columns against 8, a general matrix product spends half its time packing. Softmax sees
// differences of scores only, so its last token is taken off the others, and costs nothing.
#pragma once

#include <lemmata/problem.hpp>
#include <lemmata/samples.hpp>
#include <lemmata/simd.hpp>

#include <Eigen/Core>
#include <vector>

namespace lemmata {

class TileKernel {
public:
    TileKernel(const Problem& problem, const State& state, bool gradient);

    // Means over the tile's sequences. Entry 0: the loss; then, if asked for, the gradient in the
    // order of flatten().
    // `next`, if not null, is the tile to come: fetched into the cache while this one is computed.
    void evaluate(const Eigen::MatrixXd& inputs, Eigen::ArrayXd& out, const Eigen::MatrixXd* next = nullptr);

private:
    static constexpr int vectors = tile_width / simd::width;  // for one number of each sequence

    template <bool relative>
    void scores(const Eigen::MatrixXd& inputs);
    template <int few>
    simd::Vector attend(int i);
    template <bool relative>
    void contract(const Eigen::MatrixXd& inputs, Eigen::ArrayXd& out) const;

    void race_against_last(simd::Vector* p, Eigen::Index tokens, Eigen::Index h);
    void race_against_sink(simd::Vector* p, Eigen::Index tokens, Eigen::Index h);
    void one_race(simd::Vector* p);
    void fetch(const Eigen::MatrixXd& next, int part) const;

    Activation activation_;
    Eigen::Index tokens_;
    Eigen::Index heads_;
    bool gradient_;
    Eigen::MatrixXd mixing_;  // (F + H) x H: scores = inputs * mixing
    Eigen::VectorXd b_;
    double weight_;                      // (1/H) sum_h sigma_hl = weight sum_h p_hl
    std::vector<simd::Vector> p_;        // vector of sequences, head, token: scores, then probabilities up to a factor,
                                         // then derivatives
    std::vector<simd::Vector> error_;    // token: (1/H) sum_h sigma_hl - delta_{l,eps}, for many tokens
    std::vector<simd::Vector> inverse_;  // head: what makes p add up to 1
    std::vector<simd::Vector> sink_;     // head: softmax-1's probability of picking no token
    std::vector<simd::Vector> b_sums_;   // head: gradient in b, up to a factor
    simd::Vector v_sum_{};               // gradient in v, up to a factor
};

}  // namespace lemmata
