#include <lemmata/error.hpp>
#include <lemmata/likelihood_points.hpp>
#include <lemmata/likelihood_ratio.hpp>
#include <lemmata/normal_quantile.hpp>
#include <lemmata/sobol.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace lemmata {
namespace {

// Lattice indices low … high along each axis.
struct Box {
    Eigen::VectorXd spacing;
    Eigen::VectorXd low, high;
    [[nodiscard]] double count() const { return (high - low).array().operator+(1).prod(); }
};

Box box_of(const Prior& prior, int level, double tail) {
    Box box{tensor_spacing(prior, level), {}, {}};
    // P(|Z| > reach) < tail.
    const double reach = std::sqrt(-2 * std::log(tail));
    Eigen::VectorXd lowest = Eigen::VectorXd::Constant(prior.features(), -reach);
    Eigen::VectorXd highest = -lowest;
    for (const auto& c : prior.components()) {
        const Eigen::VectorXd deviation = (1 + c.covariance.diagonal().array()).sqrt();
        lowest = lowest.cwiseMin(c.mean - reach * deviation);
        highest = highest.cwiseMax(c.mean + reach * deviation);
    }
    box.low = (lowest.array() / box.spacing.array()).floor();
    box.high = (highest.array() / box.spacing.array()).ceil();
    return box;
}

// All lattice points whose last index is `last`.
PointLaw slab(const LikelihoodRatio& ratio, const Box& box, double last, double log_scale) {
    PointLaw law;
    const Eigen::Index features = box.spacing.size();
    const double log_cell =
        box.spacing.array().log().sum() - 0.5 * static_cast<double>(features) * std::log(2 * std::numbers::pi);
    Eigen::VectorXd index = box.low;
    index[features - 1] = last;
    for (bool more = true; more;) {
        const Eigen::VectorXd x = index.cwiseProduct(box.spacing);
        const double log_mass = log_cell - x.squaredNorm() / 2;
        const double log_ratio = ratio.log(x);
        // What matters is the mass under either law.
        if (log_mass + std::max(0.0, log_ratio) > -60) law.add(log_ratio + log_scale, std::exp(log_mass));
        more = false;
        for (Eigen::Index f = 0; f + 1 < features && !more; ++f) {
            more = index[f] < box.high[f];
            index[f] = more ? index[f] + 1 : box.low[f];
        }
    }
    return law;
}

}  // namespace

Eigen::VectorXd tensor_spacing(const Prior& prior, int level) {
    // log w has slopes up to |mean| and curvature below 1 along each axis.
    Eigen::VectorXd slope = Eigen::VectorXd::Ones(prior.features());
    for (const auto& c : prior.components()) slope = slope.cwiseMax(c.mean.cwiseAbs());
    return 0.5 * std::pow(0.75, level) * slope.cwiseInverse();
}

std::int64_t tensor_count(const Prior& prior, int level, double tail) {
    return static_cast<std::int64_t>(std::min(box_of(prior, level, tail).count(), 1e18));
}

PointLaw tensor_points(const Prior& prior, double scale, int level, double tail) {
    if (prior.features() > max_tensor_features)
        throw InvalidInput("method", fmt::format("lattice in {} dimensions", prior.features()),
                           fmt::format("at most {}", max_tensor_features));
    if (tensor_count(prior, level, tail) > max_tensor_points)
        throw Unfinished(fmt::format("Bayes risk by lattice: more than {} points", max_tensor_points));
    const Box box = box_of(prior, level, tail);
    const LikelihoodRatio ratio(prior);
    const auto last = box.spacing.size() - 1;
    // A fixed number of parts, added in order: same bits for any number of threads.
    const auto slabs = static_cast<std::size_t>(box.high[last] - box.low[last]) + 1;
    constexpr std::size_t parts = 8;
    std::vector<PointLaw> laws(parts);
    tbb::parallel_for(std::size_t{0}, parts, [&](std::size_t part) {
        for (std::size_t i = part; i < slabs; i += parts)
            laws[part] += slab(ratio, box, box.low[last] + static_cast<double>(i), std::log(scale));
    });
    PointLaw total;
    for (const auto& law : laws) total += law;
    return total;
}

bool radial(const Prior& prior) {
    return std::all_of(prior.components().begin(), prior.components().end(), [](const Component& c) {
        const double variance = c.covariance(0, 0);
        const auto identity = Eigen::MatrixXd::Identity(c.mean.size(), c.mean.size());
        return c.mean.isZero(1e-13) && (c.covariance - variance * identity).isZero(1e-13 * (1 + variance));
    });
}

PointLaw radial_points(const Prior& prior, double scale, int level) {
    if (!radial(prior)) throw InvalidInput("method", "radial", "a mixture of centred isotropic Gaussians");
    const LikelihoodRatio ratio(prior);
    const double features = prior.features();
    const double spacing = 0.02 * std::pow(0.75, level);
    // With t = log |x| the density is e^{F t - e^{2t}/2} / (2^{F/2 - 1} Gamma(F/2)).
    const double constant = std::log(spacing) - (features / 2 - 1) * std::log(2.0) - std::lgamma(features / 2);
    const auto log_density = [&](double t) { return constant + features * t - std::exp(2 * t) / 2; };
    PointLaw law;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(prior.features());
    const double peak = std::log(features) / 2;
    for (const int direction : {-1, 1})
        for (int i = direction < 0 ? 0 : 1;; ++i) {
            const double t = peak + direction * i * spacing;
            x[0] = std::exp(t);
            const double log_ratio = ratio.log(x);
            const double log_mass = log_density(t);
            if (log_mass + std::max(0.0, log_ratio) < -60 || log_ratio > 90) break;
            law.add(log_ratio + std::log(scale), std::exp(log_mass));
        }
    return law;
}

PointLaw sobol_points(const Prior& prior, double scale, std::int64_t count, std::uint64_t seed,
                      std::uint64_t replicate) {
    const LikelihoodRatio ratio(prior);
    const auto features = static_cast<Eigen::Index>(prior.features());
    struct Choice {
        double cumulative;
        Eigen::VectorXd mean;
        Eigen::MatrixXd factor;  // of I + covariance
    };
    std::vector<Choice> choices{{0.5, Eigen::VectorXd::Zero(features), Eigen::MatrixXd::Identity(features, features)}};
    for (const auto& c : prior.components()) {
        const Eigen::MatrixXd total = Eigen::MatrixXd::Identity(features, features) + c.covariance;
        choices.push_back({choices.back().cumulative + c.weight / 2, c.mean, total.llt().matrixL()});
    }
    const SobolPoints points(1 + prior.features(), seed);
    constexpr std::int64_t block = 4096;
    const std::int64_t blocks = (count + block - 1) / block;
    PointLaw law;
    for (std::int64_t b = 0; b < blocks; ++b) {
        const std::int64_t here = std::min(block, count - b * block);
        Eigen::MatrixXd u(here, 1 + features);
        points.fill({u.data(), static_cast<std::size_t>(u.size())}, replicate, static_cast<std::uint64_t>(b * block),
                    static_cast<std::size_t>(here));
        normal_quantile({u.data() + here, static_cast<std::size_t>(here * features)});
        for (Eigen::Index i = 0; i < here; ++i) {
            std::size_t k = 0;
            while (k + 1 < choices.size() && u(i, 0) >= choices[k].cumulative) ++k;
            const Eigen::VectorXd x = choices[k].mean + choices[k].factor * u.row(i).tail(features).transpose();
            const double log_ratio = ratio.log(x);
            law.add(log_ratio + std::log(scale), 2 / (1 + std::exp(log_ratio)) / static_cast<double>(count));
        }
    }
    return law;
}

}  // namespace lemmata
