// Symmetric sums over heads.
//
// At the unspecialized point a derivative tensor T_{abcd...} over head indices depends only on
// which of them coincide, that is on a set partition of its slots. Contracted with whatever stands
// in those slots (a covariance q_ab, a vector b_a, ...) it is a combination of sums over free
// indices: with t the Moebius transform of T over the lattice of partitions,
//     sum_{abcd} T_abcd q_ab q_cd = sum_P t_P  sum_{indices equal within the blocks of P} q_ab q_cd,
//     T_P = sum_{P' refines P} t_P'.
// The inner sums are named by their monomial in index notation, every letter summed over all heads:
// "q_aa q_bc" is tr(q) 1'q1. Partitions that give the same monomial are added up.
//
// For H smaller than the number of letters the monomials are linearly dependent: the expansion stays
// true, but its coefficients are then not the only ones.
#pragma once

#include <ginac/ginac.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lemmata::symbolic {

// What stands in the slots: a tensor, symmetric in its own slots.
struct Factor {
    std::string name;
    int slots = 1;
};

// heads[i] is the head (1, 2, ...) of slot i; equal within blocks.
using HeadTensor = std::function<GiNaC::ex(const std::vector<int>& heads)>;

// Monomial -> coefficient, in normal form, zeros left out or not as `keep_zeros` says.
std::map<std::string, GiNaC::ex> head_invariants(const std::vector<Factor>& factors, const HeadTensor& tensor,
                                                 bool keep_zeros = true);

// All set partitions of n elements, as restricted growth strings counted from 1: {1, 1, 2, 1}.
std::vector<std::vector<int>> set_partitions(int n);

}  // namespace lemmata::symbolic
