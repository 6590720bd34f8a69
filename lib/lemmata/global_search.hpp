// Looking for the smallest value of a function of a few variables: the attacker of an inequality.
//
// The covariance matrix adaptation evolution strategy (Hansen, arXiv:1604.00772) with restarts: needs
// values only, follows curved valleys, and does not mind a noisy or kinked function. It proves
// nothing: that it finds no violation is evidence, and that it finds one when the inequality is
// tightened a little shows that the evidence is worth something.
// Deterministic in the seed. Points where f is not finite count as worst.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

namespace lemmata {

struct SearchOptions {
    double spread = 0.5;     // initial standard deviation around the start
    int evaluations = 2000;  // per restart
    std::uint64_t seed = 1;
    double enough = -1e300;  // stop as soon as a value is below this
};

struct SearchResult {
    Eigen::VectorXd point;
    double value;
    int evaluations = 0;
};

// From each start in turn.
SearchResult search_minimum(const std::function<double(const Eigen::VectorXd&)>& f,
                            const std::vector<Eigen::VectorXd>& starts, const SearchOptions& options = {});

}  // namespace lemmata
