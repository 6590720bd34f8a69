#include <lemmata/normal_quantile.hpp>
#include <lemmata/random.hpp>

#include <Random123/philox.h>

namespace lemmata {
namespace {

using Philox = r123::Philox4x64;

Philox::ctr_type block_of_four(std::uint64_t seed, Stream stream, std::uint64_t block) {
    return Philox{}({{block, 0, 0, 0}}, {{seed, static_cast<std::uint64_t>(stream)}});
}

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, Stream stream, std::uint64_t index) {
    return block_of_four(seed, stream, index / 4)[index % 4];
}

void fill_uniform(std::span<double> out, std::uint64_t seed, Stream stream, std::uint64_t first) {
    std::size_t i = 0;
    for (; i < out.size() && (first + i) % 4 != 0; ++i) out[i] = open_unit(random_bits(seed, stream, first + i));
    for (; i + 4 <= out.size(); i += 4) {
        const auto bits = block_of_four(seed, stream, (first + i) / 4);
        for (std::size_t j = 0; j < 4; ++j) out[i + j] = open_unit(bits[j]);
    }
    for (; i < out.size(); ++i) out[i] = open_unit(random_bits(seed, stream, first + i));
}

void fill_normal(std::span<double> out, std::uint64_t seed, Stream stream, std::uint64_t first) {
    fill_uniform(out, seed, stream, first);
    normal_quantile(out);
}

}  // namespace lemmata
