// Matrices whose memory is kept: Eigen's own give theirs back with every change of size, and fresh pages
// from the system cost as much as the arithmetic on them.
#pragma once

#include <Eigen/Core>

namespace lemmata {

class ScratchMatrix {
public:
    using View = Eigen::Map<Eigen::MatrixXd, Eigen::AlignedMax>;

    // Uninitialised, and valid until the next call.
    View resized(Eigen::Index rows, Eigen::Index columns) {
        if (memory_.size() < rows * columns) memory_.resize(rows * columns);
        return View(memory_.data(), rows, columns);
    }

private:
    Eigen::VectorXd memory_;
};

}  // namespace lemmata
