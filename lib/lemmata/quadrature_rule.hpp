// Nodes and weights: E f(Z) is about sum_i weights_i f(nodes_i), Z ~ N(0, 1).
#pragma once

#include <Eigen/Core>

namespace lemmata {

struct QuadratureRule {
    Eigen::VectorXd nodes;
    Eigen::VectorXd weights;
};

}  // namespace lemmata
