// Taking heads away from a trained attention [2603.03993v1, sec. IV, Fig. 7].
//
// The output is rescaled uniformly: the mean over the heads that are left takes the place of the mean over all,
// so an attention of H - k heads is what remains. For Bayes-softmax the heads that are left also share the
// normalisation among themselves.
#pragma once

#include <lemmata/estimate.hpp>
#include <lemmata/state.hpp>

#include <functional>
#include <vector>

namespace lemmata {

// The same heads without one; the others keep m, b, v and their part of R.
State without_head(const State& state, int head);

struct Pruning {
    std::vector<int> order;        // heads in the order they were taken, numbered as at first; the last one stays
    std::vector<Estimate> losses;  // after 0, 1, …, H - 1 heads were taken
};

// Takes again and again the head without which the loss is smallest. Cost: H (H + 1) / 2 losses.
Pruning prune_greedily(const std::function<Estimate(const State&)>& loss, const State& trained);

}  // namespace lemmata
