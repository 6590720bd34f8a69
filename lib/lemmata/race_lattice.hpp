// The lattice in u (log-time of the race) on which one head's integrals are summed.
//
// The kernel of head i is a density in u made of the competitors' finishing times: with
//     Lambda(u) = -(L-1) log(1 - lost_0(u)) + e^{u + b_i}      (the last term for softmax-1)
// the competitors are all still running with probability e^{-Lambda}. What lies left of u is at most
// Lambda(u), what lies right of it at most e^{-Lambda(u)}: both ends are cut there. Between them the
// trapezoid rule converges geometrically: with k derivatives, relative error at most
//     2 sec(a)^k / (e^{2 pi a/h} - 1) for every a < pi/2,
// for any law, and wide laws, whose log Lambda rises with a slope below 1, allow h/slope. In the
// exponential left tail, u(t) = t - w e^{-(t - stretch)/w} makes the nodes sparse without narrowing
// the strip where it matters. A bias always rises with slope 1: towards it the nodes of a wide race crowd.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace lemmata {

// Where a head's kernel lives.
struct RaceRange {
    double low, high;  // ends of the lattice
    double slope;      // largest slope of the tokens' log Lambda where e^{-Lambda} turns, at most 1
    double stretch;    // left of it the tail is exponential and nothing else happens
    std::optional<double> edge =
        std::nullopt;  // where the bias finishes: within a few units of u, however wide the scores
};

// sigma: standard deviation of a null token's score. lasting: positions -mean of the relevant law's
// components, which must not be stretched over. `cut`: mass allowed beyond each end.
RaceRange race_range(double sigma, std::int64_t tokens, std::optional<double> bias,
                     const std::vector<double>& relevant_means, double cut);

// The same for any law of a runner: lost(u) at given points, the reach of its smoothing, and where the
// exponential tail begins. `low` and `high` enclose the range.
RaceRange race_range(const std::function<Eigen::ArrayXd(const Eigen::ArrayXd&)>& lost, double low, double high,
                     double tail_begins, std::int64_t tokens, std::optional<double> bias,
                     const std::vector<double>& relevant_means, double cut);

struct TimeLattice {
    Eigen::ArrayXd nodes;    // u
    Eigen::ArrayXd weights;  // du
};

// Spacing for slope 1 at which the bound above (k = 2) is `accuracy`.
double race_spacing(double accuracy);

// The same for a head: wide laws allow more (measured; every use checks the error afterwards).
double race_spacing(double spacing, const RaceRange& range);

// spacing: of a race without a bias. Towards the edge of a bias nodes crowd, to edge_spacing if that is less.
TimeLattice time_lattice(const RaceRange& range, double spacing, double edge_spacing, bool stretched);

}  // namespace lemmata
