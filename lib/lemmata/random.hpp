// Counter-based random numbers (Philox4x64-10 of Random123): number `index` of stream
// (seed, stream) is a pure function of the three, so results do not depend on the number of
// threads, nor on the order in which numbers are drawn.
#pragma once

#include <cstdint>
#include <span>

namespace lemmata {

// What a stream is used for. Streams never share numbers, whatever the seed.
enum class Stream : std::uint64_t {
    samples = 1,
    digital_shift = 2,
    padding = 3,
    initial_state = 4,
    search = 5,
    sgd = 6,
    spikes = 7,
    tokens = 8
};

// out[i] = number (first + i) of the stream: uniform on the open interval (0, 1), 52 bits, never
// 0 or 1.
void fill_uniform(std::span<double> out, std::uint64_t seed, Stream stream, std::uint64_t first);

// The same numbers through the normal quantile: independent N(0, 1).
void fill_normal(std::span<double> out, std::uint64_t seed, Stream stream, std::uint64_t first);

// 64 raw bits, number `index` of the stream.
std::uint64_t random_bits(std::uint64_t seed, Stream stream, std::uint64_t index);

// A uniform number on (0, 1) made of the upper 52 bits of `bits`.
inline double open_unit(std::uint64_t bits) {
    return (static_cast<double>(bits >> 12U) + 0.5) * 0x1p-52;
}

}  // namespace lemmata
