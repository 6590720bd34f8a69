#include <lemmata/hessian.hpp>
#include <lemmata/loss_exact.hpp>

namespace lemmata {

HessianEstimate hessian(const Problem& problem, const State& state) {
    constexpr double step = 0.015;
    const int heads = state.heads(), features = state.features();
    const Eigen::VectorXd point = flatten(state);
    const Eigen::Index size = point.size();
    const auto ignored = [&](Eigen::Index j) {
        if (j == size - 1) return !uses_scale(problem.activation);
        return j >= size - 1 - heads && !uses_bias(problem.activation);
    };
    HessianEstimate result{Eigen::MatrixXd::Zero(size, size), Eigen::MatrixXd::Zero(size, size)};
    for (Eigen::Index j = 0; j < size; ++j) {
        if (ignored(j)) continue;
        Eigen::VectorXd rounding = Eigen::VectorXd::Zero(size);
        const auto odd_part = [&](double distance) -> Eigen::VectorXd {
            Eigen::VectorXd difference = Eigen::VectorXd::Zero(size);
            for (const double sign : {1.0, -1.0}) {
                Eigen::VectorXd moved = point;
                moved[j] += sign * distance;
                const LossEstimate there = loss_exact(problem, unflatten(moved, heads, features), {1e-11, true});
                difference += sign * flatten(there.gradient->value);
                rounding += flatten(there.gradient->error);
            }
            return difference;
        };
        const Eigen::VectorXd one = odd_part(step), two = odd_part(2 * step), three = odd_part(3 * step);
        const Eigen::VectorXd six_point = (45 * one - 9 * two + three) / (60 * step);
        const Eigen::VectorXd four_point = (8 * one - two) / (12 * step);
        result.value.col(j) = six_point;
        result.error.col(j) = (six_point - four_point).cwiseAbs() / 10 + rounding / step;
    }
    const Eigen::MatrixXd transposed = result.value.transpose(), error_transposed = result.error.transpose();
    result.value = (result.value + transposed) / 2;
    result.error = result.error.cwiseMax(error_transposed);
    return result;
}

}  // namespace lemmata
