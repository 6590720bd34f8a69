// What certified results speak about, as balls: the given floating-point numbers, exactly. Not installed.
#pragma once

#include <lemmata/ball.hpp>
#include <lemmata/error.hpp>
#include <lemmata/prior.hpp>

#include <string>
#include <vector>

namespace lemmata {

// Entry f of component k's mean: the root of the strength if the prior was given by strengths.
inline Ball exact_mean(const Prior& prior, std::size_t k, Eigen::Index f) {
    if (prior.signed_squares().empty()) return Ball(prior.components()[k].mean[f]);
    const double square = prior.signed_squares()[k][f];
    return square < 0 ? -sqrt(Ball(-square)) : sqrt(Ball(square));
}

// Weights divided by their exact sum.
inline std::vector<Ball> exact_weights(const Prior& prior) {
    Ball total(0);
    for (const Component& c : prior.components()) total += Ball(c.weight);
    std::vector<Ball> weights;
    for (const Component& c : prior.components()) weights.push_back(Ball(c.weight) / total);
    return weights;
}

inline void validate_certified_tokens(std::int64_t tokens) {
    if (tokens < 2 || tokens > 1'000'000'000)
        throw InvalidInput("model.tokens", std::to_string(tokens), "2 to 1000000000 for certified digits");
}

}  // namespace lemmata
