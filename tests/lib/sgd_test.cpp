#include <lemmata/error.hpp>
#include <lemmata/random.hpp>
#include <lemmata/sgd.hpp>

#include <oneapi/tbb/global_control.h>
#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;
using Catch::Matchers::Contains;

namespace {

Problem problem_with(Activation activation) {
    return {activation, 4,
            Prior::mixture({{0.6, Eigen::Vector2d(1.0, -0.5), Eigen::Vector2d(0.5, 1).asDiagonal()},
                            {0.4, Eigen::Vector2d(-0.3, 2), Eigen::Matrix2d::Zero()}})};
}

Eigen::MatrixXd normals(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
    Eigen::MatrixXd x(rows, columns);
    fill_normal({x.data(), static_cast<std::size_t>(x.size())}, seed, Stream::search, 0);
    return x;
}

bool same_bits(const SgdState& a, const SgdState& b) {
    return a.steps == b.steps && a.k == b.k && a.b == b.b && a.v == b.v;
}

SgdState run(const Problem& problem, const SgdOptions& options, SgdState state, int steps) {
    const Eigen::MatrixXd spikes = hidden_spikes(problem.prior.features(), options);
    for (int i = 0; i < steps; ++i) sgd_step(problem, spikes, options, state);
    return state;
}

}  // namespace

TEST_CASE("an SGD step is the gradient of the batch loss it reports") {
    const auto activation = GENERATE(from_range(all_activations.begin(), all_activations.end()));
    const Problem problem = problem_with(activation);
    SgdOptions options;
    options.dimension = 70;  // neither whole groups nor whole strips of coordinates
    options.batch = 37;
    options.seed = 5;
    const Eigen::MatrixXd spikes = hidden_spikes(2, options);
    SgdState state = sgd_start(3, 1.5, options);
    state.b = normals(3, 1, 1);
    state.v = 1.3;
    state.steps = 12;

    // The data depend on the step's number alone: the same batch serves every perturbation.
    const auto loss_at = [&](const SgdState& at) {
        SgdState copy = at;
        return sgd_step(problem, spikes, options, copy).value;
    };
    SgdState next = state;
    sgd_step(problem, spikes, options, next);
    CHECK(next.steps == 13);
    const Eigen::MatrixXd dk = normals(70, 3, 2) / std::sqrt(70.0);
    const Eigen::VectorXd db = normals(3, 1, 3);
    struct Direction {
        double k, b, v;
    };
    for (const auto& [in_k, in_b, in_v] : {Direction{1, 0, 0}, Direction{0, 1, 0}, Direction{0, 0, 1}}) {
        // Central differences: error of order step^2 = 1e-4 times a third derivative below 1, and single
        // precision's 1e-7 / step. A factor H, L or 2 or a sign would show at 0.1.
        const double step = 1e-2;
        const auto moved = [&](double by) {
            SgdState at = state;
            at.k += by * in_k * dk;
            at.b += by * in_b * db;
            at.v += by * in_v;
            return at;
        };
        const double numeric = (loss_at(moved(step)) - loss_at(moved(-step))) / (2 * step);
        const double analytic = (in_k * dk.cwiseProduct(state.k - next.k).sum() + in_b * db.dot(state.b - next.b) +
                                 in_v * (state.v - next.v)) /
                                options.rate;
        CAPTURE(name(activation), in_k, in_b, in_v);
        CHECK(std::abs(numeric - analytic) < 2e-4);
        const bool has_effect =
            in_k != 0 || (in_b != 0 && uses_bias(activation)) || (in_v != 0 && uses_scale(activation));
        CHECK((std::abs(numeric) > 2e-3) == has_effect);
    }
}

TEST_CASE("SGD gives the same bits for any number of threads and across a resume") {
    const Problem problem = problem_with(Activation::softmax_1);
    SgdOptions options;
    options.dimension = 300;
    options.batch = 101;
    const SgdState start = sgd_start(2, 1, options);
    const auto with_threads = [&](std::size_t threads) {
        const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, threads);
        return run(problem, options, start, 6);
    };
    const SgdState one = with_threads(1);
    CHECK(same_bits(one, with_threads(2)));
    CHECK(same_bits(one, with_threads(5)));
    CHECK(same_bits(one, run(problem, options, run(problem, options, start, 2), 4)));
    CHECK_FALSE(same_bits(one, run(problem, options, start, 5)));
    options.seed = 2;
    CHECK((run(problem, options, start, 6).k - one.k).norm() > 1e-3);
}

TEST_CASE("the batch loss of blind heads is known") {
    // k = 0 attends to all tokens alike: E |X_eps - mean of X|^2 / D = 1 - 1/L up to the signal's
    // own length, (1 - 1/L)^2 E |sum theta_f k*_f|^2 / D.
    const Problem problem = problem_with(Activation::softmax);
    SgdOptions options;
    options.dimension = 1000;
    options.batch = 400;
    options.seed = 3;
    const Eigen::MatrixXd spikes = hidden_spikes(2, options);
    SgdState state{0, Eigen::MatrixXd::Zero(1000, 2), Eigen::VectorXd::Zero(2), 1};
    const Estimate loss = sgd_step(problem, spikes, options, state);
    const Eigen::MatrixXd second = problem.prior.covariance() + problem.prior.mean() * problem.prior.mean().transpose();
    const double expected = 0.75 + 0.5625 * (second * (spikes.transpose() * spikes)).trace() / 1000;
    CHECK(agree(loss, {expected, 0}));
    CHECK(loss.error < 0.003);
    CHECK_FALSE(agree(loss, {expected + 0.01, 0}));
    // The step goes along E theta: Lemma A.2.
    const Eigen::VectorXd direction = overlaps(state, spikes).m.row(0);
    CHECK(direction.normalized().dot(problem.prior.mean().normalized()) > 0.9);
}

TEST_CASE("weights can be made with given overlaps") {
    SgdOptions options;
    options.dimension = 50;
    const Eigen::MatrixXd spikes = hidden_spikes(2, options);
    State wanted{normals(3, 2, 7), normals(3, 3, 8), normals(3, 1, 9), 0.8};
    const SgdState state = sgd_start_at(wanted, spikes, options);
    const Overlaps found = overlaps(state, spikes);
    CHECK((found.m - wanted.m).isZero(1e-12));
    CHECK((orthogonal_overlap(found) - wanted.r * wanted.r.transpose()).isZero(1e-12));
    CHECK(state.b == wanted.b);
    CHECK(state.v == wanted.v);
    options.dimension = 4;
    CHECK_THROWS_WITH(sgd_start_at(wanted, hidden_spikes(2, options), options), Contains("sgd.dimension: 4; expected"));
}

TEST_CASE("the orthonormal basis describes the same scores") {
    // Scores of the relevant token: mean m theta, covariance q for noise; both must survive.
    SgdOptions options;
    options.dimension = 40;  // p far from the identity
    const Problem problem = problem_with(Activation::softmax);
    const SgdState state = sgd_start(3, 1, options);
    const Overlaps o = overlaps(state, hidden_spikes(2, options));
    CHECK((o.p - Eigen::Matrix2d::Identity()).norm() > 0.1);
    const State order = order_parameters(o, state.b, state.v);
    const Problem orthonormal = orthonormal_problem(problem, o.p);
    CHECK((score_covariance(order) - o.q).isZero(1e-12));
    CHECK((order.m * orthonormal.prior.mean() - o.m * problem.prior.mean()).isZero(1e-12));
    CHECK((order.m * orthonormal.prior.covariance() * order.m.transpose() -
           o.m * problem.prior.covariance() * o.m.transpose())
              .isZero(1e-12));
    CHECK((overlap_with_spikes(order.m, o.p) - o.m).isZero(1e-12));
    CHECK((order.r - order.r.transpose()).isZero(1e-13));
}

TEST_CASE("SGD refuses bad options by name") {
    SgdOptions options;
    options.dimension = 0;
    CHECK_THROWS_WITH(validate(options), Contains("sgd.dimension: 0"));
    options = {};
    options.batch = 0;
    CHECK_THROWS_WITH(validate(options), Contains("sgd.batch: 0"));
    options = {};
    options.rate = -1;
    CHECK_THROWS_WITH(validate(options), Contains("sgd.rate: -1"));
    CHECK_THROWS_WITH(sgd_start(0, 1, {}), Contains("flow.heads: 0"));
    CHECK_THROWS_WITH(sgd_start(1, -1, {}), Contains("flow.eta: -1"));
}
