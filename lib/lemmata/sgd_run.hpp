// A run of SGD (sgd.hpp) on record, and its distance from the flow that starts where it started.
#pragma once

#include <lemmata/flow.hpp>
#include <lemmata/sgd.hpp>

#include <functional>
#include <vector>

namespace lemmata {

// What is kept of a moment: everything the theory speaks about.
struct SgdRecord {
    std::uint64_t steps = 0;
    Overlaps overlaps;
    Eigen::VectorXd b;
    double v = 1;
    Estimate loss;  // of the batch that the next step uses
};

// Where a run is and what it has seen: all that is needed to continue it to the same bits.
struct SgdRun {
    SgdState state;
    std::vector<SgdRecord> records;
};

// 0, `total`, and about `count` numbers of steps between, evenly spaced in the logarithm.
std::vector<std::uint64_t> recording_steps(std::uint64_t total, int count = 200);

// Runs to `total` steps, recording at recording_steps(total). `keep_going` is asked after every
// step; false returns the run unfinished.
bool sgd_continue(const Problem& problem, const Eigen::MatrixXd& spikes, const SgdOptions& options, std::uint64_t total,
                  SgdRun& run, const std::function<bool(const SgdRun&)>& keep_going = {});

// Engines for a problem and a number of heads: the flow beside a run lives in the orthonormal basis of its spikes.
using Engine = std::function<LossFunction(const Problem&, int heads)>;

// The flow from the overlaps a run started with, in the orthonormal basis (order_parameters).
FlowResult flow_beside(const Problem& problem, const SgdRecord& start, const Engine& engine,
                       const FlowOptions& options);

// Largest distances over all records within the path's time: of an entry of m, of R, of b, of v.
struct Distance {
    double m = 0;
    double R = 0;
    double b = 0;
    double v = 0;
};
Distance distance(const std::vector<SgdRecord>& records, double rate, const Path& path);

}  // namespace lemmata
