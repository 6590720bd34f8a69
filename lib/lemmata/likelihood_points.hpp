// Weighted points for the law of the likelihood ratio W = w(x) under the null law x ~ N(0, I):
// three ways to make a PointLaw where no closed form is at hand.
//
// tensor   a uniform lattice in F <= 3 dimensions; error e^{-c/spacing} once the spacing is below the
//          scale on which log w bends. Points grow like 1/spacing^F.
// radial   when w depends on |x| only: one dimension, in log |x|, for any F.
// sobol    anything: Sobol points on an even mixture of null and relevant law, so that importance
//          weights are at most 2 where either law has its mass.
// Each is to be refined, or replicated, by its caller, who thereby learns the error.
#pragma once

#include <lemmata/point_law.hpp>
#include <lemmata/prior.hpp>

#include <cstdint>

namespace lemmata {

inline constexpr int max_tensor_features = 3;
inline constexpr std::int64_t max_tensor_points = 6'000'000;

// Spacing of the lattice along each axis, for refinement level 0, 1, …: finer by 3/4 at each level.
Eigen::VectorXd tensor_spacing(const Prior& prior, int level);

// Number of points at that level; the box holds all but `tail` of null and relevant law.
std::int64_t tensor_count(const Prior& prior, int level, double tail);

// The law of scale * w. Throws InvalidInput for more than max_tensor_features features, Unfinished
// beyond max_tensor_points.
PointLaw tensor_points(const Prior& prior, double scale, int level, double tail);

// Whether all means vanish and all covariances are multiples of the identity.
bool radial(const Prior& prior);
PointLaw radial_points(const Prior& prior, double scale, int level);

PointLaw sobol_points(const Prior& prior, double scale, std::int64_t count, std::uint64_t seed,
                      std::uint64_t replicate);

}  // namespace lemmata
