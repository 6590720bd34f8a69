#include <lemmata/verify/json.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lemmata::verify {

Json to_json(const Eigen::VectorXd& vector) {
    Json json = Json::array();
    for (const double x : vector) json.push_back(x);
    return json;
}

Json to_json(const Eigen::MatrixXd& matrix) {
    Json json = Json::array();
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
        json.push_back(to_json(Eigen::VectorXd(matrix.row(i).transpose())));
    return json;
}

Json to_json(const Estimate& estimate) {
    return {{"value", estimate.value},
            {"error", estimate.error},
            {"error_kind", estimate.kind == ErrorKind::bound ? "bound" : "standard"}};
}

Json to_json(const State& state) {
    return {{"m", to_json(state.m)}, {"r", to_json(state.r)}, {"b", to_json(state.b)}, {"v", state.v}};
}

std::string to_text(const Estimate& estimate) {
    int digits = 15;
    if (std::isfinite(estimate.error) && estimate.error > 0)
        digits = std::clamp(static_cast<int>(2 - std::floor(std::log10(estimate.error))), 1, 16);
    return fmt::format("{:.{}f} +- {:.1e} ({})", estimate.value, digits, estimate.error,
                       estimate.kind == ErrorKind::bound ? "bound" : "one standard error");
}

}  // namespace lemmata::verify
