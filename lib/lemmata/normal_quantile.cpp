#include <lemmata/normal_quantile.hpp>

#include <Eigen/Core>
#include <array>
#include <cmath>

namespace lemmata {
namespace {

using Coefficients = std::array<double, 8>;  // of a polynomial of degree 7, constant term first

// Centre: |u - 1/2| <= 0.425, argument 0.180625 - (u - 1/2)^2.
constexpr Coefficients centre_top{3.3871328727963666080,   1.3314166789178437745e2, 1.9715909503065514427e3,
                                  1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                  3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr Coefficients centre_bottom{1.0,
                                     4.2313330701600911252e1,
                                     6.8718700749205790830e2,
                                     5.3941960214247511077e3,
                                     2.1213794301586595867e4,
                                     3.9307895800092710610e4,
                                     2.8729085735721942674e4,
                                     5.2264952788528545610e3};
// Tails: s = sqrt(-log(min(u, 1 - u))), argument s - 1.6 up to s = 5.
constexpr Coefficients tail_top{1.42343711074968357734,    4.63033784615654529590,   5.76949722146069140550,
                                3.64784832476320460504,    1.27045825245236838258,   2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients tail_bottom{1.0,
                                   2.05319162663775882187,
                                   1.67638483018380384940,
                                   6.89767334985100004550e-1,
                                   1.48103976427480074590e-1,
                                   1.51986665636164571966e-2,
                                   5.47593808499534494600e-4,
                                   1.05075007164441684324e-9};
// Far tails: s > 5 (probability below 1.4e-11), argument s - 5.
constexpr Coefficients far_top{6.65790464350110377720,    5.46378491116411436990,    1.78482653991729133580,
                               2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                               2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients far_bottom{1.0,
                                  5.99832206555887937690e-1,
                                  1.36929880922735805310e-1,
                                  1.48753612908506148525e-2,
                                  7.86869131145613259100e-4,
                                  1.84631831751005468180e-5,
                                  1.42151175831644588870e-7,
                                  2.04426310338993978564e-15};

template <typename T>
T horner(const Coefficients& c, const T& x) {
    return ((((((c[7] * x + c[6]) * x + c[5]) * x + c[4]) * x + c[3]) * x + c[2]) * x + c[1]) * x + c[0];
}

constexpr Eigen::Index width = 64;
using Block = Eigen::Array<double, width, 1>;

void quantile_block(Eigen::Map<Block> u) {
    const Block offset = u - 0.5;
    const Block centre_argument = 0.180625 - offset.square();
    const Block centre = offset * (horner(centre_top, centre_argument) / horner(centre_bottom, centre_argument));
    const Block s = (-u.min(1 - u).log()).sqrt();
    const Block tail_argument = s - 1.6;
    Block tail = horner(tail_top, tail_argument) / horner(tail_bottom, tail_argument);
    if (s.maxCoeff() > 5)
        for (Eigen::Index i = 0; i < width; ++i)
            if (s[i] > 5) tail[i] = horner(far_top, s[i] - 5) / horner(far_bottom, s[i] - 5);
    u = (offset.abs() <= 0.425).select(centre, (offset < 0).select(-tail, tail));
}

}  // namespace

void normal_quantile(std::span<double> probabilities) {
    std::size_t done = 0;
    for (; done + width <= probabilities.size(); done += width)
        quantile_block(Eigen::Map<Block>(probabilities.data() + done));
    if (done == probabilities.size()) return;
    Block rest = Block::Constant(0.5);
    const auto left = static_cast<Eigen::Index>(probabilities.size() - done);
    rest.head(left) = Eigen::Map<Eigen::ArrayXd>(probabilities.data() + done, left);
    quantile_block(Eigen::Map<Block>(rest.data()));
    Eigen::Map<Eigen::ArrayXd>(probabilities.data() + done, left) = rest.head(left);
}

}  // namespace lemmata
