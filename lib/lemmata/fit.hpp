// Means of, and straight lines through, measurements, with intervals.
#pragma once

#include <lemmata/estimate.hpp>

#include <Eigen/Core>

namespace lemmata {

// A standard error that was itself estimated, with so many degrees of freedom, must be multiplied by
// this for four of them to hold with the probability of four sigmas (Student's t). Infinite below 1.
double student_widening(double degrees);

// y = intercept + slope x by least squares, weights 1. Standard errors from the residuals,
// widened by Student's t so that four of them hold with the probability of four sigmas.
// Needs three points at least (InvalidInput).
struct LineFit {
    Estimate slope;
    Estimate intercept;
};
LineFit fit_line(const Eigen::VectorXd& x, const Eigen::VectorXd& y);

// y = columns * coefficients, weighted by 1 / error^2; the errors of y are taken as they are, and
// `chi_squared` / `degrees` near 1 says that they and the model are right.
struct LinearFit {
    Eigen::VectorXd coefficients;
    Eigen::VectorXd errors;  // standard
    double chi_squared = 0;
    int degrees = 0;
};
LinearFit fit_linear(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y, const Eigen::VectorXd& errors);

// Mean of independent equal measurements, with Student's widening as above. Two at least.
Estimate mean_of(const Eigen::VectorXd& measurements);

}  // namespace lemmata
