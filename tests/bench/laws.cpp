// The tables of docs/dynamics.md: laws of the dynamics, measured. Usage: laws [rates|slope|samples|nodes|sgd|root]…
// Minutes each; every number is reproducible (seeds are fixed).
#include <lemmata/events.hpp>
#include <lemmata/laws.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_gauss_hermite.hpp>
#include <lemmata/loss_monte_carlo.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "lib/tensor_loss.hpp"

namespace {

using namespace lemmata;

LossFunction exact(const Problem& problem) {
    return [problem](const State& state) { return loss_exact(problem, state, {1e-10, true}); };
}

Gradient pattern(int heads, int features, int feature) {
    Gradient direction = zero_state(heads, features);
    for (int h = 0; h < heads; ++h) direction.m(h, feature) = h % 2 == 0 ? 1 : -1;
    return direction;
}

// 2 (c_3 + c_4) per unit of variance [table after eq. (55)], softmax-1 on its line with e^b = 1.
double predicted(Activation activation, double L, double H) {
    switch (activation) {
        case Activation::softmax:
            return 2 * (L - 1) / (H * L * L) * (1 - 2 / L);
        case Activation::softmax_1: {
            const double v = (L + 1) / L;
            return 2 * v * (L - 1) / (H * L * (L + 1)) * (1 - 2 / (L + 1));
        }
        case Activation::bayes_softmax:
            return 2 * ((L - 1) / (H * L * L) * (1 - 2 / (H * L)) + (L - 1) / L * 2 / (H * L * H * L));
    }
    return 0;
}

State unspecialized(Activation activation, int heads, int features, double L) {
    State state = state_at(Eigen::MatrixXd::Zero(heads, features));
    if (activation == Activation::softmax_1) state.v = (L + 1) / L;
    return state;
}

void rates() {
    std::puts(
        "| activation | engine | L | H | Var | predicted | measured | relative |\n|---|---|---|---|---|---|---|---|");
    const auto row = [](Activation activation, const char* engine, const LossFunction& loss, int L, int H, int F, int f,
                        double variance) {
        const Estimate rate = escape_rate(loss, unspecialized(activation, H, F, L), pattern(H, F, f), 2e-3);
        const double expected = predicted(activation, L, H) * variance;
        std::printf("| %s | %s | %d | %d | %g | %.8f | %.8f +- %.0e | %.1e |\n", std::string(name(activation)).c_str(),
                    engine, L, H, variance, expected, rate.value, rate.error, rate.value / expected - 1);
        std::fflush(stdout);
    };
    for (const Activation activation : {Activation::softmax, Activation::softmax_1})
        for (const int f : {0, 1, 2}) {
            const Eigen::VectorXd variances = linear_variances(3, 20, 1);
            row(activation, "exact", exact({activation, 5, Prior::gaussian(variances)}), 5, 4, 3, f, variances[f]);
        }
    for (const Activation activation : all_activations)
        row(activation, "tensor rule", toy::tensor_loss(activation, 4, 3), 4, 4, 1, 0, 3);
}

void slope() {
    const Problem problem{Activation::softmax, 5, Prior::gaussian(Eigen::Vector2d(8, 2))};
    const LossFunction loss = exact(problem);
    FlowOptions options;
    options.until = 200;
    options.tolerance = 1e-7;
    options.floor = 1e-6;
    const std::vector<double> dimensions{1e3, 1e4, 1e5, 1e6, 1e7};
    const double rate = predicted(problem.activation, 5, 2) * 8;
    const auto start_with = [&](double eta) {
        State start = unspecialized(problem.activation, 2, 2, 5);
        start.r = eta * Eigen::MatrixXd::Identity(2, 2);
        return start;
    };
    for (const double eta : {0.0, 0.01}) {
        const SpecializationLaw law =
            specialization_law(loss, start_with(eta), pattern(2, 2, 0), Eigen::Vector2d::Zero(), dimensions, options);
        std::printf("eta = %g: slope of tau_s in log D %.6f +- %.1e; 1 / (2 rate at r = 0) = %.6f\n", eta,
                    law.slope.slope.value, law.slope.slope.error, 1 / (2 * rate));
    }
    // At eta = 1 the rate drifts with R. The time at which the overlaps reach 0.03, still in the linear
    // regime, must change with log D as the Hessian at the R of that moment says.
    const auto reached = [&](double dimension) {
        State from = start_with(1);
        from.m = pattern(2, 2, 0).m / std::sqrt(dimension);
        FlowOptions short_options = options;
        short_options.until = 30;
        const FlowResult result = flow(loss, from, short_options);
        const auto time = first_time(
            result.path, [](const State& s) { return s.m.cwiseAbs().maxCoeff(); }, 0.03);
        return std::pair(*time, interpolate(result.path, *time));
    };
    std::puts("| D | slope at eta = 1, measured | from the Hessian at the current R | relative |\n|---|---|---|---|");
    for (const double dimension : {1e4, 1e5, 1e6, 1e7}) {
        const double measured =
            (reached(dimension * std::exp(0.2)).first - reached(dimension * std::exp(-0.2)).first) / 0.4;
        State there = reached(dimension).second;
        there.m.setZero();
        const double expected = -1 / (2 * curvature(loss, there, pattern(2, 2, 0)));
        std::printf("| %g | %.5f | %.5f | %.1e |\n", dimension, measured, expected, measured / expected - 1);
        std::fflush(stdout);
    }
}

Engine exact_engine() {
    return [](const Problem& problem, int) { return exact(problem); };
}

Eigen::VectorXd column(const std::vector<Distance>& distances, double Distance::*part) {
    Eigen::VectorXd values(static_cast<Eigen::Index>(distances.size()));
    for (std::size_t i = 0; i < distances.size(); ++i) values[static_cast<Eigen::Index>(i)] = distances[i].*part;
    return values;
}

// With its standard error as it is: fits weigh by it, and Student's widening would flatten chi^2.
Estimate plain_mean(const Eigen::VectorXd& values) {
    const double count = static_cast<double>(values.size());
    const double variance = (values.array() - values.mean()).square().sum() / (count - 1);
    return {values.mean(), std::sqrt(variance / count), ErrorKind::standard};
}

void sgd() {
    const Problem problem{Activation::softmax, 4, Prior::flipping_spike(2, 2)};
    std::puts("| D | rate | D / batch | distance in m | distance in R |\n|---|---|---|---|---|");
    struct Setting {
        int dimension;
        double rate, crowding;  // D / batch
    };
    std::vector<Setting> settings;
    for (const double rate : {0.04, 0.02, 0.01})
        for (const int dimension : {250, 500, 1000, 2000}) settings.push_back({dimension, rate, 1});
    for (const double crowding : {4.0, 2.0, 0.5})
        for (const int dimension : {250, 500, 1000, 2000}) settings.push_back({dimension, 0.02, crowding});
    std::vector<Estimate> in_m, in_R;
    for (const auto& [dimension, rate, crowding] : settings) {
        ComparisonSettings comparison;
        comparison.sgd.dimension = dimension;
        comparison.sgd.batch = static_cast<int>(dimension / crowding);
        comparison.sgd.rate = rate;
        comparison.sgd.seed = 100;
        comparison.until = 3;
        comparison.seeds = 10;
        const SgdComparison result = compare_with_sgd(problem, exact_engine(), comparison);
        in_m.push_back(plain_mean(column(result.distances, &Distance::m)));
        in_R.push_back(plain_mean(column(result.distances, &Distance::R)));
        std::printf("| %d | %g | %g | %.5f +- %.5f | %.5f +- %.5f |\n", dimension, rate, crowding, in_m.back().value,
                    in_m.back().error, in_R.back().value, in_R.back().error);
        std::fflush(stdout);
    }
    const auto report = [&](const char* what, const std::vector<Estimate>& measured) {
        const auto count = static_cast<Eigen::Index>(settings.size());
        const std::array<const char*, 5> terms{"D^-1/2", "rate (1 + D / batch)", "(rate / batch)^1/2", "D^-1",
                                               "rate D / batch"};
        Eigen::MatrixXd columns(count, static_cast<Eigen::Index>(terms.size()));
        Eigen::VectorXd y(count), errors(count);
        for (Eigen::Index i = 0; i < count; ++i) {
            const auto [dimension, rate, crowding] = settings[static_cast<std::size_t>(i)];
            columns.row(i) << 1 / std::sqrt(dimension), (1 + crowding) * rate, std::sqrt(rate * crowding / dimension),
                1.0 / dimension, rate * crowding;
            y[i] = measured[static_cast<std::size_t>(i)].value;
            errors[i] = measured[static_cast<std::size_t>(i)].error;
        }
        std::printf("%s, fits by terms (coefficient +- standard error):\n", what);
        for (const std::vector<int>& model :
             {std::vector{0, 1}, std::vector{2, 1}, std::vector{2, 3}, std::vector{4, 3}, std::vector{2, 3, 4}}) {
            const LinearFit fit = fit_linear(columns(Eigen::all, model), y, errors);
            std::printf("  ");
            for (std::size_t i = 0; i < model.size(); ++i)
                std::printf("%s %.3f +- %.3f; ", terms[static_cast<std::size_t>(model[i])],
                            fit.coefficients[static_cast<Eigen::Index>(i)], fit.errors[static_cast<Eigen::Index>(i)]);
            std::printf("chi^2 %.1f of %d\n", fit.chi_squared, fit.degrees);
        }
        for (Eigen::Index first = 0; first < count; first += 4) {
            Eigen::MatrixXd line(4, 2);
            Eigen::VectorXd logs(4), relative(4);
            for (Eigen::Index i = 0; i < 4; ++i) {
                line.row(i) << 1, std::log(settings[static_cast<std::size_t>(first + i)].dimension);
                logs[i] = std::log(y[first + i]);
                relative[i] = errors[first + i] / y[first + i];
            }
            const LinearFit exponent = fit_linear(line, logs, relative);
            const Setting& setting = settings[static_cast<std::size_t>(first)];
            std::printf("  exponent of D at rate %g, D / batch %g: %.2f +- %.2f (standard)\n", setting.rate,
                        setting.crowding, exponent.coefficients[1], exponent.errors[1]);
        }
    };
    report("distance in m", in_m);
    report("distance in R", in_R);
}

void root() {
    const Problem problem{Activation::softmax, 5, Prior::gaussian(Eigen::Vector2d(8, 2))};
    State start = state_at((Eigen::MatrixXd(2, 2) << 1.5, 0.2, 0.1, 0.6).finished());
    start.r << 1.2, 0.8, 0.8, 0.7;  // does not commute with dE/dR, as the heads differ
    std::puts("| D | m from the factor's flow | R | m from the symmetric root's | R |\n|---|---|---|---|---|");
    for (const int dimension : {500, 2000}) {
        ComparisonSettings comparison;
        comparison.sgd.dimension = dimension;
        comparison.sgd.batch = dimension;
        comparison.sgd.rate = 0.01;
        comparison.sgd.seed = 200;
        comparison.until = 4;
        comparison.seeds = 5;
        comparison.start = start;
        comparison.symmetric = true;
        const SgdComparison result = compare_with_sgd(problem, exact_engine(), comparison);
        std::printf("| %d |", dimension);
        for (const auto* distances : {&result.distances, &result.symmetric})
            for (const auto part : {&Distance::m, &Distance::R}) {
                const Estimate mean = mean_of(column(*distances, part));
                std::printf(" %.5f +- %.5f |", mean.value, mean.error);
            }
        std::puts("");
        std::fflush(stdout);
    }
}

void samples() {
    std::puts("| activation | samples | largest distance of m from the exact flow |\n|---|---|---|");
    for (const Activation activation : all_activations) {
        const Problem problem{activation, 4, Prior::flipping_spike(2, 2)};
        FlowOptions options;
        options.until = 8;
        const State start = random_state(2, 2, 1, 0.05, 1);
        const FlowResult reference = flow(exact(problem), start, options);
        for (const std::int64_t count : {10'000, 100'000, 1'000'000}) {
            const auto kept = std::make_shared<Samples>(problem.prior, problem.tokens, 2, count, Sampling::plain, 7);
            kept->store();
            const FlowResult sampled =
                flow([&](const State& state) { return loss_monte_carlo(problem, state, *kept, true); }, start, options);
            double largest = 0;
            for (double tau = 0; tau <= options.until; tau += 0.25)
                largest = std::max(
                    largest,
                    (interpolate(sampled.path, tau).m - interpolate(reference.path, tau).m).cwiseAbs().maxCoeff());
            std::printf("| %s | %ld | %.2e |\n", std::string(name(activation)).c_str(), long(count), largest);
            std::fflush(stdout);
        }
    }
}

void nodes() {
    std::puts("| activation | nodes | largest distance of m from the exact flow |\n|---|---|---|");
    for (const Activation activation : all_activations) {
        const Problem problem{activation, 4, Prior::flipping_spike(2, 2)};
        FlowOptions options;
        options.until = 8;
        options.tolerance = 1e-5;
        const State start = random_state(2, 2, 1, 0.05, 1);
        const FlowResult reference = flow(exact(problem), start, options);
        for (const int count : {4, 8, 16, 32, 64}) {
            const FlowResult result = flow(
                [&](const State& state) { return loss_gauss_hermite(problem, state, count, true); }, start, options);
            double largest = 0;
            for (double tau = 0; tau <= options.until; tau += 0.25)
                largest = std::max(
                    largest,
                    (interpolate(result.path, tau).m - interpolate(reference.path, tau).m).cwiseAbs().maxCoeff());
            std::printf("| %s | %d | %.1e |\n", std::string(name(activation)).c_str(), count, largest);
            std::fflush(stdout);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string what = argv[i];
        if (what == "rates")
            rates();
        else if (what == "slope")
            slope();
        else if (what == "sgd")
            sgd();
        else if (what == "root")
            root();
        else if (what == "samples")
            samples();
        else if (what == "nodes")
            nodes();
        else
            return std::fprintf(stderr, "laws: %s; expected rates, slope, samples, nodes, sgd or root\n", argv[i]), 2;
    }
}
