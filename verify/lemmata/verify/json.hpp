// JSON and plain text for the library's values. Numbers round-trip; what is not finite is null.
#pragma once

#include <lemmata/estimate.hpp>
#include <lemmata/state.hpp>

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <string>

namespace lemmata::verify {

using Json = nlohmann::ordered_json;

Json to_json(const Eigen::VectorXd& vector);
Json to_json(const Eigen::MatrixXd& matrix);  // array of rows
Json to_json(const Estimate& estimate);       // {"value", "error", "error_kind"}
Json to_json(const State& state);             // {"m", "r", "b", "v"}

// "0.702133072 +- 2.1e-10 (bound)": digits that the error leaves meaningful.
std::string to_text(const Estimate& estimate);

}  // namespace lemmata::verify
