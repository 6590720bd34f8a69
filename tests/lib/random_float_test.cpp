#include <lemmata/error.hpp>
#include <lemmata/random_float.hpp>

#include <Random123/threefry.h>
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <vector>

using namespace lemmata;

namespace {

// Number `index` of a tape in double precision, from Random123's own Threefry.
double reference(const Tape& tape, std::uint64_t index) {
    const std::uint64_t group = index / 64, lane = index % 16, word = index % 64 / 16;
    const r123::Threefry4x32::key_type key{{static_cast<std::uint32_t>(tape.seed),
                                            static_cast<std::uint32_t>(tape.seed >> 32U),
                                            static_cast<std::uint32_t>(tape.stream), tape.major}};
    const auto bits = r123::Threefry4x32{}({{static_cast<std::uint32_t>(16 * group + lane), tape.minor, 0, 0}}, key);
    const std::uint32_t radius_bits = bits[word < 2 ? 0 : 2], angle_bits = bits[word < 2 ? 1 : 3];
    const double radius = std::sqrt(-2 * std::log((radius_bits + 0.5) * 0x1p-32));
    const double offset = static_cast<std::int32_t>(angle_bits << 2U) * 0x1p-31;
    double angle = std::numbers::pi / 4 * offset;
    if ((angle_bits & 0x40000000U) != 0) angle += std::numbers::pi / 2;
    if ((angle_bits & 0x80000000U) != 0) angle += std::numbers::pi;
    return radius * (word % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

}  // namespace

TEST_CASE("float normals are Box-Muller of Random123's Threefry") {
    std::vector<float> numbers(64 * 200);
    for (const Tape tape : {Tape{1, Stream::tokens, 0, 0}, Tape{0x123456789abcdefU, Stream::sgd, 7, 4000000000U}}) {
        fill_normal(numbers, tape, 64 * 5);
        double worst = 0;
        for (std::size_t i = 0; i < numbers.size(); ++i)
            worst = std::max(worst, std::abs(double{numbers[i]} - reference(tape, 64 * 5 + i)));
        CHECK(worst < 2e-6);  // of numbers up to 5: four roundings of single precision
        // The neighbouring tape is another one.
        CHECK(std::abs(double{numbers[0]} - reference({tape.seed, tape.stream, tape.major, tape.minor + 1}, 320)) >
              1e-3);
    }
}

TEST_CASE("float normals do not depend on how they are asked for") {
    const Tape tape{3, Stream::tokens, 1, 2};
    std::vector<float> whole(1000), parts(1000);
    fill_normal(whole, tape, 0);
    fill_normal(std::span(parts).first(64), tape, 0);
    fill_normal(std::span(parts).subspan(64, 512), tape, 64);
    fill_normal(std::span(parts).subspan(576), tape, 576);
    CHECK(whole == parts);
    CHECK_THROWS_AS(fill_normal(whole, tape, 1), InvalidInput);
    CHECK_THROWS_AS(fill_normal(whole, tape, std::uint64_t{1} << 34U), InvalidInput);
}

TEST_CASE("float normals have the normal law") {
    std::vector<float> numbers(1 << 18);
    fill_normal(numbers, {11, Stream::tokens, 0, 0}, 0);
    const double count = static_cast<double>(numbers.size());
    // Moments 1 to 4 and the correlation with the next number, each within 5 standard errors
    // (false alarm 3e-6 for all five).
    double first = 0, second = 0, third = 0, fourth = 0, next = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double z = numbers[i];
        first += z;
        second += z * z;
        third += z * z * z;
        fourth += z * z * z * z;
        next += z * double{numbers[(i + 16) % numbers.size()]};  // cosine times sine of the same pair, half the time
    }
    CHECK(std::abs(first / count) < 5 / std::sqrt(count));
    CHECK(std::abs(second / count - 1) < 5 * std::sqrt(2 / count));
    CHECK(std::abs(third / count) < 5 * std::sqrt(15 / count));
    CHECK(std::abs(fourth / count - 3) < 5 * std::sqrt(96 / count));
    CHECK(std::abs(next / count) < 5 / std::sqrt(count));
    // Kolmogorov-Smirnov: sqrt(n) D exceeds 2.7 with probability 1e-6.
    std::sort(numbers.begin(), numbers.end());
    const boost::math::normal normal;
    const auto distance = [&](double scale) {
        double worst = 0;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const double u = boost::math::cdf(normal, scale * double{numbers[i]});
            worst = std::max({worst, std::abs(u - double(i) / count), std::abs(u - double(i + 1) / count)});
        }
        return std::sqrt(count) * worst;
    };
    CHECK(distance(1) < 2.7);
    CHECK(distance(1.03) > 2.7);  // a deviation wrong by 3% would be seen
}
