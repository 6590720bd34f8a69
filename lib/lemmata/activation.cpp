#include <lemmata/activation.hpp>
#include <lemmata/error.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata {
namespace {

// The probabilities behind the activation: softmax-1's head h picks a token or, with probability
// sink_h, none; Bayes-softmax picks a (head, token) pair; softmax a token per head.
struct Race {
    Eigen::MatrixXd p;     // H x L
    Eigen::VectorXd sink;  // H, softmax-1 only
};

Race race(Activation activation, const Eigen::MatrixXd& chi, const Eigen::VectorXd& b) {
    Race result{Eigen::MatrixXd(chi.rows(), chi.cols()), Eigen::VectorXd::Zero(chi.rows())};
    if (activation == Activation::bayes_softmax) {
        const Eigen::MatrixXd shifted = chi.colwise() + b;
        result.p = (shifted.array() - shifted.maxCoeff()).exp();
        result.p /= result.p.sum();
        return result;
    }
    for (Eigen::Index h = 0; h < chi.rows(); ++h) {
        const bool has_sink = activation == Activation::softmax_1;
        const double top = has_sink ? std::max(chi.row(h).maxCoeff(), b[h]) : chi.row(h).maxCoeff();
        result.p.row(h) = (chi.row(h).array() - top).exp();
        const double sink = has_sink ? std::exp(b[h] - top) : 0;
        const double total = result.p.row(h).sum() + sink;
        result.p.row(h) /= total;
        result.sink[h] = sink / total;
    }
    return result;
}

double scale(Activation activation, Eigen::Index heads, double v) {
    switch (activation) {
        case Activation::softmax:
            return 1;
        case Activation::softmax_1:
            return v;
        case Activation::bayes_softmax:
            return static_cast<double>(heads);
    }
    throw InvalidInput("activation", "an unknown value", "softmax, softmax-1 or bayes-softmax");
}

}  // namespace

std::string_view name(Activation activation) {
    switch (activation) {
        case Activation::softmax:
            return "softmax";
        case Activation::softmax_1:
            return "softmax-1";
        case Activation::bayes_softmax:
            return "bayes-softmax";
    }
    throw InvalidInput("activation", "an unknown value", "softmax, softmax-1 or bayes-softmax");
}

Activation activation_from_name(std::string_view wanted) {
    for (const Activation activation : all_activations)
        if (name(activation) == wanted) return activation;
    throw InvalidInput("model.activation", fmt::format("\"{}\"", wanted), "softmax, softmax-1 or bayes-softmax");
}

Eigen::MatrixXd attend(Activation activation, const Eigen::MatrixXd& chi, const Eigen::VectorXd& b, double v) {
    return scale(activation, chi.rows(), v) * race(activation, chi, b).p;
}

Pullback pull_back(Activation activation, const Eigen::MatrixXd& chi, const Eigen::VectorXd& b, double v,
                   const Eigen::MatrixXd& w) {
    const auto [p, sink] = race(activation, chi, b);
    const double c = scale(activation, chi.rows(), v);
    Pullback result{Eigen::MatrixXd(chi.rows(), chi.cols()), Eigen::VectorXd::Zero(chi.rows()), 0};
    // With sigma = c p and p normalised within its race, d(sum w p)/d chi = p (w - mean of w under p).
    Eigen::VectorXd mean = p.cwiseProduct(w).rowwise().sum();
    if (uses_scale(activation)) result.v = mean.sum();
    if (activation == Activation::bayes_softmax) mean.setConstant(mean.sum());
    result.chi = c * p.cwiseProduct(w.colwise() - mean);
    if (activation == Activation::softmax_1) result.b = -c * sink.cwiseProduct(mean);
    if (activation == Activation::bayes_softmax) result.b = result.chi.rowwise().sum();
    return result;
}

}  // namespace lemmata
