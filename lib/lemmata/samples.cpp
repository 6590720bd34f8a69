#include <lemmata/error.hpp>
#include <lemmata/normal_quantile.hpp>
#include <lemmata/random.hpp>
#include <lemmata/samples.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

namespace lemmata {
namespace {

constexpr std::int64_t max_tile_doubles = 32'000'000;  // 256 MB

std::span<double> span_of(Eigen::MatrixXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

Samples::Samples(const Prior& prior, std::int64_t tokens, int heads, std::int64_t wanted, Sampling sampling,
                 std::uint64_t seed)
    : discrete_(prior.discrete()),
      tokens_(tokens),
      heads_(heads),
      features_(prior.features()),
      sampling_(sampling),
      seed_(seed),
      tiles_((wanted + tile_width - 1) / tile_width) {
    if (wanted < 1) throw InvalidInput("samples", fmt::format("{}", wanted), "at least 1");
    const std::int64_t most = max_tile_doubles / (tile_width * (features_ + 2 * heads_));
    if (tokens > most)
        throw InvalidInput(
            "model.tokens", fmt::format("{}", tokens),
            fmt::format("at most {} for sampling with {} heads (the exact method has no limit)", most, heads_));
    double total = 0;
    for (const auto& c : prior.components()) {
        cumulative_.push_back(total += c.weight);
        means_.push_back(c.mean);
        factors_.push_back(square_root_factor(c.covariance));
    }
    if (sampling_ == Sampling::sobol) {
        tiles_per_batch_ = (tiles_ + sobol_replicates - 1) / sobol_replicates;
        tiles_ = tiles_per_batch_ * sobol_replicates;
        sobol_.emplace(static_cast<int>(coordinates()), seed_);
    }
}

Eigen::Index Samples::coordinates() const {
    return 1 + (discrete_ ? 0 : features_) + tokens_ * (features_ + heads_);
}

// 64 rows; columns: component, theta's normals (unless discrete), then token by token.
void Samples::draw_uniform(std::int64_t tile, Eigen::MatrixXd& u) const {
    u.resize(tile_width, coordinates());
    if (sampling_ != Sampling::sobol) {
        fill_uniform(span_of(u), seed_, Stream::samples, static_cast<std::uint64_t>(tile * u.size()));
        return;
    }
    const auto replicate = static_cast<std::uint64_t>(tile / tiles_per_batch_);
    const auto first = static_cast<std::uint64_t>(tile % tiles_per_batch_) * tile_width;
    sobol_->fill(span_of(u), replicate, first, tile_width);
}

void Samples::draw(std::int64_t tile, Eigen::MatrixXd& out) const {
    Eigen::MatrixXd u;
    draw_uniform(tile, u);
    const Eigen::VectorXd choice = u.col(0);
    normal_quantile(span_of(u).subspan(tile_width));
    if (sampling_ == Sampling::antithetic) u.bottomRows(tile_width / 2) = -u.topRows(tile_width / 2);
    const Eigen::Index width = features_ + heads_;
    const Eigen::Index theta_columns = discrete_ ? 0 : features_;
    out.resize(tile_width * tokens_, width);
    for (Eigen::Index l = 0; l < tokens_; ++l)
        out.middleRows(tile_width * l, tile_width) = u.middleCols(1 + theta_columns + l * width, width);
    for (Eigen::Index i = 0; i < tile_width; ++i) {
        const Eigen::Index source = sampling_ == Sampling::antithetic ? i % (tile_width / 2) : i;
        std::size_t k = 0;
        while (k + 1 < cumulative_.size() && choice[source] >= cumulative_[k]) ++k;
        out.row(i).head(features_) += means_[k].transpose();
        if (!discrete_)
            out.row(i).head(features_) += (factors_[k] * u.row(i).segment(1, features_).transpose()).transpose();
    }
}

void Samples::store() {
    std::vector<Eigen::MatrixXd> kept(static_cast<std::size_t>(tiles_));
    tbb::parallel_for(std::int64_t{0}, tiles_,
                      [&](std::int64_t tile) { draw(tile, kept[static_cast<std::size_t>(tile)]); });
    kept_ = std::move(kept);
}

}  // namespace lemmata
