// Independent N(0, 1) in single precision, for data by the billion.
//
// Threefry4x32-20 (Salmon et al., SC 2011; the bits are Random123's) through the Box-Muller
// transform, sixteen counters at a time. Number `index` of a tape is a pure function of the tape's
// coordinates and the index: no state, no order, any number of threads. Threefry and not Philox,
// because it needs no 32 x 32 -> 64 bit products, which few processors have as vector instructions.
//
// Error: each number is within about 2e-6 of the exact transform of its 64 random bits; the radius
// has 32 of them, so |z| stops at 6.76 (probability 1.4e-11 beyond). Cost: 0.9 ns a number on one
// core with AVX-512, ten times that with SSE2 only.
#pragma once

#include <lemmata/random.hpp>

#include <cstdint>
#include <span>

namespace lemmata {

struct Tape {
    std::uint64_t seed = 0;
    Stream stream = Stream::samples;
    std::uint32_t major = 0;  // for SGD: the step …
    std::uint32_t minor = 0;  // … and the sequence within its batch
};

// Numbers come in groups of this many; a request starts at the beginning of a group.
inline constexpr std::size_t tape_group = 64;

// out[i] = number (first + i) of the tape. `first` must be a multiple of tape_group below 2^34.
void fill_normal(std::span<float> out, const Tape& tape, std::uint64_t first);

}  // namespace lemmata
