// Random problems and states, biased to where engines break: equal, opposite and dead heads, r = 0,
// L = 2 and 3 and 1e6, atoms, strong and weak signals, large biases.
#pragma once

#include <lemmata/problem.hpp>
#include <lemmata/random.hpp>

#include <string>
#include <vector>

struct CornerState {
    std::string name;
    lemmata::Problem problem;
    lemmata::State state;
};

inline CornerState corner_state(std::uint64_t seed, int max_heads, int max_features) {
    using namespace lemmata;
    std::uint64_t counter = 0;
    const auto uniform = [&] { return open_unit(random_bits(seed, Stream::search, counter++)); };
    const auto normal = [&] {
        double z = 0;
        fill_normal({&z, 1}, seed, Stream::search, 1'000 + counter++);
        return z;
    };
    const auto below = [&](int n) { return static_cast<int>(uniform() * n); };
    const auto choose = [&](const auto& options) {
        return options[static_cast<std::size_t>(below(int(options.size())))];
    };

    const Activation activation = below(2) == 0 ? Activation::softmax : Activation::softmax_1;
    const std::int64_t tokens = choose(std::vector<std::int64_t>{2, 3, 4, 5, 5, 10, 1000, 1'000'000});
    const int heads = 1 + below(max_heads), features = 1 + below(max_features);
    const double strength = choose(std::vector<double>{0.01, 1, 4, 10});
    const auto prior = [&] {
        switch (below(4)) {
            case 0:
                return Prior::gaussian(linear_variances(features, strength, strength / 10));
            case 1:
                return features == 2 ? Prior::flipping_spike(strength, strength / 2)
                                     : Prior::spikes(features, strength);
            case 2:
                return Prior::spikes(features, strength);
            default: {
                std::vector<Component> components;
                for (const double weight : {0.7, 0.3}) {
                    Eigen::VectorXd mean(features);
                    for (double& entry : mean) entry = normal();
                    const Eigen::VectorXd direction = Eigen::VectorXd::NullaryExpr(features, normal);
                    components.push_back({weight, mean, below(2) * direction * direction.transpose()});
                }
                return Prior::mixture(components);
            }
        }
    }();
    State state = zero_state(heads, features);
    const double size = choose(std::vector<double>{0, 1e-6, 0.05, 0.5, 1, 2});
    for (double& entry : state.m.reshaped()) entry = size * normal();
    std::string corner = "free";
    if (heads > 1) {
        switch (below(5)) {
            case 0:
                state.m.row(1) = state.m.row(0), corner = "equal";
                break;
            case 1:
                state.m.row(1) = -state.m.row(0), corner = "opposite";
                break;
            case 2:
                state.m.row(1) = (below(2) - 0.5) * (1 + 1e-5 * normal()) * state.m.row(0), corner = "aligned";
                break;
            case 3:
                state.m.row(0).setZero(), corner = "dead";
                break;
            default:
                break;
        }
    }
    switch (below(5)) {
        case 0:
            break;
        case 1:
            state.r = 1e-3 * Eigen::MatrixXd::Identity(heads, heads);
            break;
        case 2:
            state.r.col(0).setConstant(0.7);
            break;
        default: {
            const double noise = 0.3;
            state.r = choose(std::vector<double>{0.01, 0.5, 1}) * Eigen::MatrixXd::Identity(heads, heads);
            for (double& entry : state.r.reshaped()) entry += noise * normal();
        }
    }
    state.v = 1;
    if (uses_bias(activation)) {
        const double spread = choose(std::vector<double>{0, 1, 5, 20});
        for (double& entry : state.b) entry = spread * normal();
        state.v = choose(std::vector<double>{1, 1.9, 0.3, -0.5});
    }
    return {std::string(name(activation)) + " L=" + std::to_string(tokens) + " H=" + std::to_string(heads) +
                " F=" + std::to_string(features) + " " + corner + " m~" + std::to_string(size) + " seed " +
                std::to_string(seed),
            {activation, tokens, prior},
            state};
}
