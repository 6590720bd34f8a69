#include <lemmata/error.hpp>
#include <lemmata/lattice.hpp>

#include <fmt/format.h>
#include <boost/math/constants/constants.hpp>
#include <cmath>

namespace lemmata {

namespace constants = boost::math::double_constants;

QuadratureRule gaussian_lattice(double spacing, double reach) {
    if (!(spacing > 0) || !std::isfinite(spacing))
        throw InvalidInput("spacing", fmt::format("{}", spacing), "a finite number > 0");
    if (!(reach >= spacing) || !(reach / spacing <= 5e5))
        throw InvalidInput("reach", fmt::format("{}", reach), "between the spacing and 500000 times it");
    const auto half = static_cast<Eigen::Index>(reach / spacing);
    QuadratureRule rule;
    rule.nodes =
        spacing * Eigen::VectorXd::LinSpaced(2 * half + 1, -static_cast<double>(half), static_cast<double>(half));
    rule.weights = spacing * constants::one_div_root_two_pi * (-0.5 * rule.nodes.array().square()).exp();
    return rule;
}

double gaussian_lattice_error(double spacing, double reach, double strip) {
    const double discretisation = 2 * std::exp(strip * strip / 2) / std::expm1(constants::two_pi * strip / spacing);
    const double truncation = std::erfc((reach - spacing) * constants::one_div_root_two);
    return discretisation + truncation;
}

}  // namespace lemmata
