// What the heads' overlaps m (H x F) have become: which directions are taken, and how evenly
// [2603.03993v1, sec. III.2].
#pragma once

#include <Eigen/Core>
#include <vector>

namespace lemmata {

// Heads whose overlaps lie within `distance` of each other, or of a third one, … : the label of each head's
// group, from 0 in the order of their first heads.
std::vector<int> head_groups(const Eigen::MatrixXd& m, double distance);
int group_count(const std::vector<int>& groups);

// Number of different sign vectors (sign m_h1, …, sign m_hF) among heads that have |m_hf| >= least for all f:
// 2^F if the heads have learnt every combination.
int sign_patterns(const Eigen::MatrixXd& m, double least);

// Heads with m_hf > 0 minus heads with m_hf < 0, absolute; even if 0, or 1 for an odd number of heads.
int imbalance(const Eigen::MatrixXd& m, int feature);

// The largest |m_hf| / |m_h| over features: 1 if a head has learnt a single direction. 0 for a head at 0.
Eigen::VectorXd purity(const Eigen::MatrixXd& m);

}  // namespace lemmata
