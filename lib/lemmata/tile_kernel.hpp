// The loss and its gradient on one tile of samples (samples.hpp): the inner loop of
// loss_monte_carlo. Internal.
//
// Lanes are sequences, so everything but the last sum is free of horizontal operations. The two
// products (scores = inputs * mixing, gradient = derivatives^T * inputs) are blocked by hand:
// with 11 columns against 8, a general matrix product spends half its time packing.
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

    simd::Vector* p(Eigen::Index l, Eigen::Index h) { return p_.data() + (h * tokens_ + l) * vectors; }
    simd::Vector* error(Eigen::Index l) { return error_.data() + l * vectors; }
    simd::Vector* inverse(Eigen::Index h) { return inverse_.data() + h * vectors; }
    simd::Vector* sink(Eigen::Index h) { return sink_.data() + h * vectors; }

    void scores(const Eigen::MatrixXd& inputs);
    void race_per_head();
    void one_race();
    void fetch_ahead(int part) const;
    double output_error();
    void derivatives(Eigen::ArrayXd& out);
    void contract(const Eigen::MatrixXd& inputs, Eigen::ArrayXd& out) const;
    simd::Vector mean_error(Eigen::Index h, int i);

    Activation activation_;
    Eigen::Index tokens_;
    Eigen::Index heads_;
    bool gradient_;
    const Eigen::MatrixXd* next_ = nullptr;
    Eigen::MatrixXd mixing_;  // (F + H) x H: scores = inputs * mixing
    Eigen::VectorXd b_;
    double v_;
    double weight_;                    // (1/H) sum_h sigma_hl = weight sum_h p_hl
    std::vector<simd::Vector> p_;      // head, token, lane: scores, then probabilities up to a factor, then derivatives
    std::vector<simd::Vector> error_;  // token, lane: (1/H) sum_h sigma_hl - delta_{l,eps}
    std::vector<simd::Vector> inverse_;  // head, lane: what makes p add up to 1
    std::vector<simd::Vector> sink_;     // head, lane: softmax-1's probability of picking no token
};

}  // namespace lemmata
