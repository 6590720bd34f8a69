// Matrices whose memory is kept: Eigen's own give theirs back with every change of size, and fresh pages
// from the system cost as much as the arithmetic on them.
#pragma once

#include <lemmata/error.hpp>

#include <fmt/format.h>
#include <Eigen/Core>

namespace lemmata {

class ScratchMatrix {
public:
    using View = Eigen::Map<Eigen::MatrixXd, Eigen::AlignedMax>;

    // Uninitialised, and valid until the next call. Unfinished beyond half a gigabyte: such a product would take
    // minutes.
    View resized(Eigen::Index rows, Eigen::Index columns) {
        if (static_cast<double>(rows) * static_cast<double>(columns) > most_entries)
            throw Unfinished(
                fmt::format("loss_exact: a pair of heads needs a {} x {} matrix: wide scores that are "
                            "nearly equal or opposite",
                            rows, columns));
        if (memory_.size() < rows * columns) memory_.resize(rows * columns);
        return View(memory_.data(), rows, columns);
    }

private:
    static constexpr double most_entries = 6e7;
    Eigen::VectorXd memory_;
};

}  // namespace lemmata
