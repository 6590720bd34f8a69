// A prior as a mixture of priors that live in orthogonal subspaces.
//
// If the components of a mixture fall into groups whose means and covariances span mutually
// orthogonal subspaces, the likelihood ratio is w = sum_g weight_g w_g with w_g independent under
// the null law, and e^{-s w} factorises. The prior `spikes` of F features is F groups of one atom;
// the flipping spike with equal strengths is two. Each group is returned in the coordinates of its
// own subspace, so its dimension is the smallest possible.
#pragma once

#include <lemmata/prior.hpp>

#include <vector>

namespace lemmata {

struct OrthogonalGroup {
    double weight;
    Prior prior;  // in the subspace; one feature, identically 0, for an atom at the origin
};

// The finest such partition; equal components are merged first. Orthogonal means up to 1e-13.
std::vector<OrthogonalGroup> orthogonal_groups(const Prior& prior);

}  // namespace lemmata
