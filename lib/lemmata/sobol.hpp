// Sobol points in (0, 1)^d with a random digital shift.
//
// Boost's generator (Joe & Kuo's direction numbers) has 3667 coordinates. Coordinates beyond them
// are independent uniform numbers, never repeated ones: the rule stays unbiased, and the leading
// coordinates, which should be the important ones, keep their low discrepancy.
// Boost leaves out the first point, the origin; it is put back here, since blocks of 2^k points
// are nets only with it. After the shift each point is uniform, so every replicate (an independent
// shift) gives an unbiased estimate and the spread over replicates an honest error.
#pragma once

#include <boost/random/sobol.hpp>
#include <cstdint>
#include <span>

namespace lemmata {

inline constexpr int max_sobol_dimension = 3667;

class SobolPoints {
public:
    SobolPoints(int dimension, std::uint64_t seed);

    [[nodiscard]] int dimension() const { return dimension_; }
    [[nodiscard]] int padded() const;  // how many coordinates are beyond the generator's

    // Points first … first + count - 1 of a replicate, coordinate by coordinate:
    // out[d * count + i] is coordinate d of point first + i. out has dimension * count entries.
    void fill(std::span<double> out, std::uint64_t replicate, std::uint64_t first, std::size_t count) const;

private:
    int dimension_;
    std::uint64_t seed_;
    boost::random::sobol engine_;
};

}  // namespace lemmata
