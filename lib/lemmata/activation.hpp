// The three attention activations [2603.03993v1, sec. II.2, eq. (4)], on given scores.
//
//   softmax        sigma_hl = e^{chi_hl} / sum_l' e^{chi_hl'}
//   softmax-1      sigma_hl = v e^{chi_hl} / (e^{b_h} + sum_l' e^{chi_hl'})
//   Bayes-softmax  sigma_hl = e^{chi_hl + b_h} / ((1/H) sum_h'l' e^{chi_h'l' + b_h'})
//
// Exponents are shifted by their largest value (e^{b_h} included), so no finite score or bias
// overflows. Relative error a few ulp times the spread of the scores.
#pragma once

#include <Eigen/Core>
#include <array>
#include <string_view>

namespace lemmata {

enum class Activation { softmax, softmax_1, bayes_softmax };

inline constexpr std::array all_activations{Activation::softmax, Activation::softmax_1, Activation::bayes_softmax};

std::string_view name(Activation activation);            // "softmax", "softmax-1", "bayes-softmax"
Activation activation_from_name(std::string_view name);  // throws InvalidInput

inline bool uses_bias(Activation a) {
    return a != Activation::softmax;
}
inline bool uses_scale(Activation a) {
    return a == Activation::softmax_1;
}

// sigma (H x L) for scores chi (H x L), biases b (H) and scale v.
Eigen::MatrixXd attend(Activation activation, const Eigen::MatrixXd& chi, const Eigen::VectorXd& b, double v);

// The pullback of attend: given w (H x L), the derivatives of sum_hl w_hl sigma_hl.
struct Pullback {
    Eigen::MatrixXd chi;
    Eigen::VectorXd b;
    double v = 0;
};
Pullback pull_back(Activation activation, const Eigen::MatrixXd& chi, const Eigen::VectorXd& b, double v,
                   const Eigen::MatrixXd& w);

}  // namespace lemmata
