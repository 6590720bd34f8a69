#include <lemmata/error.hpp>
#include <lemmata/random.hpp>
#include <lemmata/state.hpp>

#include <fmt/format.h>
#include <cmath>

namespace lemmata {

State zero_state(int heads, int features) {
    return {Eigen::MatrixXd::Zero(heads, features), Eigen::MatrixXd::Zero(heads, heads), Eigen::VectorXd::Zero(heads),
            0.0};
}

State state_at(const Eigen::MatrixXd& m) {
    State state = zero_state(static_cast<int>(m.rows()), static_cast<int>(m.cols()));
    state.m = m;
    state.v = 1;
    return state;
}

Eigen::MatrixXd score_covariance(const State& state) {
    return state.m * state.m.transpose() + state.r * state.r.transpose();
}

State random_state(int heads, int features, double eta, double noise, std::uint64_t seed) {
    if (heads < 1) throw InvalidInput("flow.heads", fmt::format("{}", heads), "at least 1");
    if (features < 1) throw InvalidInput("prior.features", fmt::format("{}", features), "at least 1");
    if (!(eta >= 0) || !std::isfinite(eta))
        throw InvalidInput("flow.eta", fmt::format("{}", eta), "a finite number >= 0");
    if (!(noise >= 0) || !std::isfinite(noise))
        throw InvalidInput("flow.noise", fmt::format("{}", noise), "a finite number >= 0");
    Eigen::VectorXd normals(heads * (features + heads));
    fill_normal({normals.data(), static_cast<std::size_t>(normals.size())}, seed, Stream::initial_state, 0);
    State state = zero_state(heads, features);
    state.m = noise * normals.head(heads * features).reshaped(heads, features);
    state.r =
        eta * Eigen::MatrixXd::Identity(heads, heads) + noise * normals.tail(heads * heads).reshaped(heads, heads);
    state.v = 1;
    return state;
}

Eigen::VectorXd flatten(const State& state) {
    Eigen::VectorXd flat(state.m.size() + state.r.size() + state.b.size() + 1);
    flat << state.m.reshaped(), state.r.reshaped(), state.b, state.v;
    return flat;
}

State unflatten(const Eigen::Ref<const Eigen::VectorXd>& flat, int heads, int features) {
    State state;
    state.m = flat.head(heads * features).reshaped(heads, features);
    state.r = flat.segment(heads * features, heads * heads).reshaped(heads, heads);
    state.b = flat.segment(heads * (features + heads), heads);
    state.v = flat[flat.size() - 1];
    return state;
}

}  // namespace lemmata
