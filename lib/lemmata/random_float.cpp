#include <lemmata/error.hpp>
#include <lemmata/random_float.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace lemmata {
namespace {

// Sixteen lanes in the vector types of GCC and Clang: what the processor lacks, they split.
constexpr std::size_t lanes = 16;
using Words [[gnu::vector_size(4 * lanes)]] = std::uint32_t;
using Integers [[gnu::vector_size(4 * lanes)]] = std::int32_t;
using Floats [[gnu::vector_size(4 * lanes)]] = float;

struct Block {
    Words a, b, c, d;
};

template <int rotation>
void mix(Words& x, Words& y) {
    x += y;
    y = ((y << rotation) | (y >> (32 - rotation))) ^ x;
}

template <int r0, int r1, int r2, int r3, int r4, int r5, int r6, int r7>
void four_rounds(Block& x) {
    mix<r0>(x.a, x.b);
    mix<r1>(x.c, x.d);
    mix<r2>(x.a, x.d);
    mix<r3>(x.c, x.b);
    mix<r4>(x.a, x.b);
    mix<r5>(x.c, x.d);
    mix<r6>(x.a, x.d);
    mix<r7>(x.c, x.b);
}

using Key = std::array<std::uint32_t, 5>;

template <std::uint32_t number>
void inject(Block& x, const Key& key) {
    x.a += key[number % 5];
    x.b += key[(number + 1) % 5];
    x.c += key[(number + 2) % 5];
    x.d += key[(number + 3) % 5] + number;
}

// One Threefry4x32-20 block per lane, for counters (first + lane, minor, 0, 0) under the key
// (seed, stream, major).
void threefry(std::uint32_t first, const Tape& tape, Block& x) {
    Key key{static_cast<std::uint32_t>(tape.seed), static_cast<std::uint32_t>(tape.seed >> 32U),
            static_cast<std::uint32_t>(tape.stream), tape.major, 0};
    key[4] = 0x1BD11BDAU ^ key[0] ^ key[1] ^ key[2] ^ key[3];
    x.a = Words{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} + first;
    x.b = Words{} + tape.minor;
    x.c = Words{};
    x.d = Words{};
    inject<0>(x, key);
    four_rounds<10, 26, 11, 21, 13, 27, 23, 5>(x);
    inject<1>(x, key);
    four_rounds<6, 20, 17, 11, 25, 10, 18, 20>(x);
    inject<2>(x, key);
    four_rounds<10, 26, 11, 21, 13, 27, 23, 5>(x);
    inject<3>(x, key);
    four_rounds<6, 20, 17, 11, 25, 10, 18, 20>(x);
    inject<4>(x, key);
    four_rounds<10, 26, 11, 21, 13, 27, 23, 5>(x);
    inject<5>(x, key);
}

// u becomes log u, for u in [2^-33, 1]: u = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt 2), and
// Cephes' polynomial for log(1 + f).
void log_unit(Floats& u) {
    constexpr std::uint32_t root_half = 0x3f3504f3;
    const Words shifted = reinterpret_cast<Words>(u) - root_half;
    const Floats exponent = __builtin_convertvector(reinterpret_cast<Integers>(shifted) >> 23, Floats);
    const Floats f = reinterpret_cast<Floats>((shifted & 0x007fffffU) + root_half) - 1;
    Floats p = 7.0376836292e-2F * f - 1.1514610310e-1F;
    p = p * f + 1.1676998740e-1F;
    p = p * f - 1.2420140846e-1F;
    p = p * f + 1.4249322787e-1F;
    p = p * f - 1.6668057665e-1F;
    p = p * f + 2.0000714765e-1F;
    p = p * f - 2.4999993993e-1F;
    p = p * f + 3.3333331174e-1F;
    u = exponent * 0.693147180559945F + (f - f * f * (0.5F - f * p));
}

// radius_bits give the radius; angle_bits the angle: the two upper bits its quadrant, the others
// the offset from the quadrant's middle line.
void box_muller(const Words& radius_bits, const Words& angle_bits, float* cosines, float* sines) {
    Floats radius = __builtin_convertvector(radius_bits, Floats) * 0x1p-32F + 0x1p-33F;
    log_unit(radius);
    for (std::size_t i = 0; i < lanes; ++i) radius[i] = std::sqrt(std::max(-2 * radius[i], 0.0F));
    const Integers offset = reinterpret_cast<Integers>(angle_bits << 2U);
    const Floats x = __builtin_convertvector(offset, Floats) * (0x1p-31F * 0.785398163397448F);
    const Floats square = x * x;
    const Floats s = x + x * square * (-1.6666654611e-1F + square * (8.3321608736e-3F - square * 1.9515295891e-4F));
    const Floats c =
        1 - 0.5F * square +
        square * square * (4.166664568298827e-2F + square * (-1.388731625493765e-3F + square * 2.443315711809948e-5F));
    // Rotate (c, s) by half a turn, then by a quarter.
    radius = (angle_bits & 0x80000000U) != 0 ? -radius : radius;
    const Integers quarter = (angle_bits & 0x40000000U) != 0;
    const Floats first = radius * (quarter ? -s : c);
    const Floats second = radius * (quarter ? c : s);
    for (std::size_t i = 0; i < lanes; ++i) cosines[i] = first[i];
    for (std::size_t i = 0; i < lanes; ++i) sines[i] = second[i];
}

void normal_group(std::uint32_t group, const Tape& tape, float* out) {
    Block x;
    threefry(group * static_cast<std::uint32_t>(lanes), tape, x);
    box_muller(x.a, x.b, out, out + lanes);
    box_muller(x.c, x.d, out + 2 * lanes, out + 3 * lanes);
}

}  // namespace

void fill_normal(std::span<float> out, const Tape& tape, std::uint64_t first) {
    static_assert(tape_group == 4 * lanes);
    if (first % tape_group != 0 || first + out.size() > (std::uint64_t{1} << 34U))
        throw InvalidInput("first", std::to_string(first), "a multiple of 64, the last number below 2^34");
    auto group = static_cast<std::uint32_t>(first / tape_group);
    std::size_t done = 0;
    for (; done + tape_group <= out.size(); done += tape_group) normal_group(group++, tape, out.data() + done);
    if (done == out.size()) return;
    std::array<float, tape_group> rest;
    normal_group(group, tape, rest.data());
    std::copy_n(rest.begin(), out.size() - done, out.data() + done);
}

}  // namespace lemmata
