// Samples of the model's randomness [2603.03993v1, eqs. (10)-(11)]: for each sequence theta, and
// for each token chi* ~ N(delta_{l,eps} theta, I_F) and xi ~ N(0, I_H). By exchangeability the
// relevant token is the first one.
//
// Samples come in tiles of 64 sequences. A tile is a pure function of (specification, tile
// number), so any subset can be drawn in any order, on any thread, to the same bits.
// Laws: plain; antithetic (second half of a tile: all normals negated, same mixture component);
// sobol (randomly shifted Sobol points, 32 independent replicates).
#pragma once

#include <lemmata/prior.hpp>
#include <lemmata/sobol.hpp>

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

namespace lemmata {

enum class Sampling { plain, antithetic, sobol };

inline constexpr int tile_width = 64;
inline constexpr int sobol_replicates = 32;

class Samples {
public:
    // At least `wanted` sequences: rounded up to whole tiles (for sobol, whole tiles in each
    // replicate). InvalidInput if wanted < 1, or if one tile would exceed 256 MB.
    Samples(const Prior& prior, std::int64_t tokens, int heads, std::int64_t wanted, Sampling sampling,
            std::uint64_t seed);

    [[nodiscard]] std::int64_t count() const { return tiles_ * tile_width; }
    [[nodiscard]] std::int64_t tiles() const { return tiles_; }
    // Consecutive tiles whose mean is one independent observation: 1, or a whole Sobol replicate.
    [[nodiscard]] std::int64_t tiles_per_batch() const { return tiles_per_batch_; }
    [[nodiscard]] std::int64_t tokens() const { return tokens_; }
    [[nodiscard]] int heads() const { return heads_; }
    [[nodiscard]] Sampling sampling() const { return sampling_; }
    // Coordinates per sequence that Sobol points do not cover.
    [[nodiscard]] int padded() const { return sobol_ ? sobol_->padded() : 0; }

    // A tile as a matrix of 64 L rows and F + H columns: row 64 l + i is token l of sequence i,
    // columns chi*_1 … chi*_F, xi_1 … xi_H.
    void draw(std::int64_t tile, Eigen::MatrixXd& out) const;

    // Keep all tiles in memory; draw() then copies nothing and view() is free. Same numbers.
    void store();
    [[nodiscard]] bool stored() const { return !kept_.empty(); }
    [[nodiscard]] const Eigen::MatrixXd& view(std::int64_t tile) const { return kept_[static_cast<std::size_t>(tile)]; }

private:
    [[nodiscard]] Eigen::Index coordinates() const;  // random numbers per sequence
    void draw_uniform(std::int64_t tile, Eigen::MatrixXd& u) const;

    std::vector<double> cumulative_;        // weights of the mixture
    std::vector<Eigen::VectorXd> means_;    // of its components
    std::vector<Eigen::MatrixXd> factors_;  // square roots of their covariances
    bool discrete_;
    std::int64_t tokens_;
    int heads_;
    int features_;
    Sampling sampling_;
    std::uint64_t seed_;
    std::int64_t tiles_;
    std::int64_t tiles_per_batch_ = 1;
    std::optional<SobolPoints> sobol_;
    std::vector<Eigen::MatrixXd> kept_;
};

}  // namespace lemmata
