#include <lemmata/error.hpp>
#include <lemmata/point_law.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

namespace lemmata {
namespace {

constexpr int reach = 2000;              // grid cells -reach … reach: log W within 100 of 0
constexpr int order = 12;                // interpolation points
constexpr double interpolation = 2e-13;  // their relative error, see the header
constexpr double rounding = 1e-14;

// 1 - e^{-y}, y e^{-y}, y^2 e^{-y} at y = e^x, x = n * race_grain, n = -2 reach … 2 reach.
struct Kernels {
    Eigen::ArrayXd missed{4 * reach + 1}, first{4 * reach + 1}, second{4 * reach + 1};
    Kernels() {
        for (int n = -2 * reach; n <= 2 * reach; ++n) {
            const double y = std::exp(std::min(n * race_grain, 7.0));  // e^{-e^7} is 0
            const Eigen::Index i = n + 2 * reach;
            missed[i] = -std::expm1(-y);
            first[i] = y * std::exp(-y);
            second[i] = y * first[i];
        }
    }
};

const Kernels& kernels() {
    static const Kernels table;
    return table;
}

// Lagrange weights of the points 0 … order - 1 at x.
std::array<double, order> lagrange(double x) {
    static constexpr std::array<double, order> binomial{1, -11, 55, -165, 330, -462, 462, -330, 165, -55, 11, -1};
    std::array<double, order> weights{};
    const double nearest = std::round(x);
    if (std::abs(x - nearest) < 1e-9) {
        weights[static_cast<std::size_t>(nearest)] = 1;
        return weights;
    }
    double total = 0;
    for (std::size_t i = 0; i < order; ++i) total += weights[i] = binomial[i] / (x - static_cast<double>(i));
    for (auto& w : weights) w /= total;
    return weights;
}

}  // namespace

PointLaw::PointLaw() : mass_(Eigen::ArrayXd::Zero(2 * reach + 1)) {}

void PointLaw::add(double log_value, double mass) {
    const double limit = reach * race_grain - order * race_grain;
    const double cell = std::clamp(log_value, -limit, limit) / race_grain + reach;
    const double base = std::floor(cell) - static_cast<double>(order / 2 - 1);
    const auto weights = lagrange(cell - base);
    const auto first = static_cast<Eigen::Index>(base);
    for (std::size_t i = 0; i < order; ++i) mass_[first + static_cast<Eigen::Index>(i)] += mass * weights[i];
}

PointLaw& PointLaw::operator+=(const PointLaw& other) {
    mass_ += other.mass_;
    return *this;
}

PointLaw& PointLaw::operator*=(double factor) {
    mass_ *= factor;
    return *this;
}

RaceTransform PointLaw::transform(const RaceGrid& lattice) const {
    const auto cell = [](double x) {
        const double cells = std::round(x / race_grain);
        if (std::abs(cells * race_grain - x) > 1e-9 || std::abs(cells) > reach)
            throw InvalidInput("lattice", fmt::format("{}", x), fmt::format("a multiple of {} within 100", race_grain));
        return static_cast<Eigen::Index>(cells);
    };
    // Most cells are empty.
    Eigen::Index low = 0, high = mass_.size() - 1;
    while (low < high && mass_[low] == 0) ++low;
    while (high > low && mass_[high] == 0) --high;
    const auto occupied = mass_.segment(low, high - low + 1);
    const Kernels& table = kernels();
    RaceTransform result(lattice.count);
    for (int j = 0; j < lattice.count; ++j) {
        const Eigen::Index offset = cell(lattice.at(j)) + low + reach;
        const auto against = [&](const Eigen::ArrayXd& kernel) {
            return (occupied * kernel.segment(offset, occupied.size())).sum();
        };
        const double missed = std::clamp(against(table.missed), 0.0, 1 - rounding);
        result.log_survival[j] = std::log1p(-missed);
        result.first[j] = std::max(against(table.first), 0.0);
        result.second[j] = std::max(against(table.second), 0.0);
        result.relative_error[j] = interpolation + rounding;
        result.log_error[j] = (interpolation + rounding) * missed / (1 - missed);
    }
    return result;
}

}  // namespace lemmata
