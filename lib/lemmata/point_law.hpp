// The law of a positive variable W given as weighted points of log W, and its race transform.
//
// Points are spread over a uniform grid of log W (spacing race_grain) by 12-point Lagrange weights;
// lattices with the same grain then need e^{-e^x} on one table only, however many points there
// were. Spreading changes the transform by the interpolation error of e^{-e^x}, which is analytic
// and bounded by 1 in |Im x| < pi/2: below 1e-13, relatively. What the points themselves are worth
// is for their maker to say.
// Cost: about 30 ns per point; then one multiplication per grid cell and lattice point.
#pragma once

#include <lemmata/exponential_race.hpp>

#include <Eigen/Core>

namespace lemmata {

class PointLaw {
public:
    PointLaw();

    // Mass at log W = log_value. Values too small or too large to be felt by any race are kept at the ends.
    void add(double log_value, double mass);
    PointLaw& operator+=(const PointLaw& other);
    PointLaw& operator*=(double factor);

    [[nodiscard]] RaceTransform transform(const RaceGrid& lattice) const;

private:
    Eigen::ArrayXd mass_;  // by grid cell
};

}  // namespace lemmata
