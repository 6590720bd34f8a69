#include <lemmata/error.hpp>
#include <lemmata/random.hpp>
#include <lemmata/sobol.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <vector>

namespace lemmata {
namespace {

std::size_t checked(int dimension) {
    if (dimension < 1) throw InvalidInput("dimension", fmt::format("{}", dimension), "at least 1");
    return static_cast<std::size_t>(std::min(dimension, max_sobol_dimension));
}

}  // namespace

SobolPoints::SobolPoints(int dimension, std::uint64_t seed)
    : dimension_(dimension), seed_(seed), engine_(checked(dimension)) {}

int SobolPoints::padded() const {
    return std::max(0, dimension_ - max_sobol_dimension);
}

void SobolPoints::fill(std::span<double> out, std::uint64_t replicate, std::uint64_t first, std::size_t count) const {
    const auto dimensions = engine_.dimension();
    std::vector<std::uint64_t> shift(dimensions);
    for (std::size_t d = 0; d < dimensions; ++d)
        shift[d] = random_bits(seed_, Stream::digital_shift, replicate * dimensions + d);
    const std::size_t origin = first == 0 && count > 0 ? 1 : 0;
    if (origin == 1)
        for (std::size_t d = 0; d < dimensions; ++d) out[d * count] = open_unit(shift[d]);
    auto engine = engine_;
    if (origin < count) engine.seed(first + origin - 1);  // Boost's number n is point n + 1
    for (std::size_t i = origin; i < count; ++i)
        for (std::size_t d = 0; d < dimensions; ++d) out[d * count + i] = open_unit(engine() ^ shift[d]);
    const auto extra = static_cast<std::size_t>(padded());
    if (extra == 0) return;
    // One block of the padding stream per (replicate, point); points of one replicate stay below 2^32.
    std::vector<double> u(extra);
    for (std::size_t point = 0; point < count; ++point) {
        fill_uniform(u, seed_, Stream::padding, ((replicate << 32U) + first + point) * extra);
        for (std::size_t d = 0; d < extra; ++d) out[(dimensions + d) * count + point] = u[d];
    }
}

}  // namespace lemmata
