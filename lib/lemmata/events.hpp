// When things happen along a path [2603.03993v1, Props. III.3 and III.4; sec. III.1].
//
// With e = E theta / |E theta|:
//   alignment(tau)  mean over heads of m_h . e
//   spread(tau)     largest distance |m_h - m_h'| within the space orthogonal to e
//   tau_u_start, tau_s_start   first times at which they reach 0.1
//   tau_u           first time at which the alignment reaches half of its value at the end of the
//                   unspecialized plateau, that is at tau_s_start, or of the path
//   tau_s           first time at which the spread reaches half of its final value
//   learning[f]     first time at which the largest |m_hf - mean over heads| reaches half of its
//                   final value
//   excursions      head h had m_hf beyond +-0.1 and went beyond 0.1 on the other side; the time is
//                   that of its last zero on the way
// If E theta = 0 there is no alignment and the spread is that of the whole space. A quantity that
// never reaches 0.1 has no times: noise has no half.
// Times are located on the path's dense output to 1e-10 relative.
#pragma once

#include <lemmata/path.hpp>

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <vector>

namespace lemmata {

inline constexpr double event_threshold = 0.1;

struct Excursion {
    int head;
    int feature;
    double tau;
};

struct Events {
    std::optional<double> tau_u_start, tau_u;
    std::optional<double> tau_s_start, tau_s;
    std::vector<std::optional<double>> learning;  // F
    std::vector<Excursion> excursions;            // in order of time
};

double alignment(const State& state, const Eigen::VectorXd& mean_theta);
double spread(const State& state, const Eigen::VectorXd& mean_theta);
double feature_spread(const State& state, int feature);

Events find_events(const Path& path, const Eigen::VectorXd& mean_theta);

// First time at which a quantity reaches `level` from below (the start, if it is there already).
std::optional<double> first_time(const Path& path, const std::function<double(const State&)>& quantity, double level);

}  // namespace lemmata
