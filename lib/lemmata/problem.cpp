#include <lemmata/error.hpp>
#include <lemmata/problem.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata {
namespace {

void require_shape(const std::string& field, const Eigen::MatrixXd& matrix, Eigen::Index rows, Eigen::Index columns) {
    if (matrix.rows() != rows || matrix.cols() != columns)
        throw InvalidInput(field, fmt::format("{} x {}", matrix.rows(), matrix.cols()),
                           fmt::format("{} x {}", rows, columns));
    if (!matrix.allFinite()) throw InvalidInput(field, "an entry that is not finite", "finite entries");
}

}  // namespace

void validate(const Problem& problem, const State& state) {
    if (problem.tokens < 2) throw InvalidInput("model.tokens", fmt::format("{}", problem.tokens), "at least 2");
    const auto heads = state.m.rows();
    if (heads < 1) throw InvalidInput("state.m", "no rows", "at least one head");
    require_shape("state.m", state.m, heads, problem.prior.features());
    require_shape("state.r", state.r, heads, heads);
    require_shape("state.b", state.b, heads, 1);
    if (!std::isfinite(state.v)) throw InvalidInput("state.v", fmt::format("{}", state.v), "a finite number");
}

}  // namespace lemmata
