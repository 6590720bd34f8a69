// Trajectories for people: CSV tables, JSON, and pictures drawn by gnuplot.
//
// Columns: tau, loss, m_h_f …, b_h …, v, R_h_h' (upper triangle), heads and features from 1.
#pragma once

#include <lemmata/events.hpp>
#include <lemmata/polish.hpp>
#include <lemmata/sgd_run.hpp>
#include <lemmata/verify/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace lemmata::verify {

struct Moment {
    double tau;
    double loss;
    State state;  // of R, r is any factor
};

// The path on a logarithmic grid of `count` times from 0.01 on, with the loss evaluated there.
std::vector<Moment> moments(const Path& path, const LossFunction& loss, int count = 200);
// The records, with m as the overlaps with the spikes themselves.
std::vector<Moment> moments(const std::vector<SgdRecord>& records, double rate);

std::string to_csv(const std::vector<Moment>& moments);

// Times that were not reached are null.
Json to_json(const Events& events);
Json to_json(const FlowResult& result, const Events& events, const std::string& method);
Json to_json(const Polished& polished);

// Draws the magnetizations of every feature and the loss against time (lines: flow, dots: SGD, if
// any) to magnetizations.svg, and for two features the heads' way through their plane to
// heads.svg. Returns a remark if gnuplot cannot be run, else nothing.
std::string draw(const std::filesystem::path& folder, const std::string& title, const std::vector<Moment>& flow,
                 const std::vector<Moment>& sgd);

}  // namespace lemmata::verify
