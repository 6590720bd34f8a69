#include <lemmata/bayes_risk.hpp>
#include <lemmata/error.hpp>
#include <lemmata/likelihood_points.hpp>
#include <lemmata/likelihood_ratio.hpp>
#include <lemmata/random.hpp>

#include <Eigen/Geometry>
#include <boost/math/quadrature/gauss.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace lemmata;

namespace {

RiskOptions by(RiskMethod method) {
    RiskOptions options;
    options.method = method;
    return options;
}

// A mixture of 1 to 3 components in `features` dimensions, atoms among them.
Prior random_mixture(int features, std::uint64_t seed) {
    std::vector<double> u(64);
    fill_uniform(u, seed, Stream::search, 0);
    std::size_t next = 0;
    const auto draw = [&] { return u[next++]; };
    const int count = 1 + static_cast<int>(3 * draw());
    std::vector<Component> components;
    double total = 0;
    for (int k = 0; k < count; ++k) {
        Component c{0.1 + draw(), Eigen::VectorXd(features), Eigen::MatrixXd::Zero(features, features)};
        for (int f = 0; f < features; ++f) c.mean[f] = 4 * draw() - 2;
        if (draw() < 0.6) {
            Eigen::MatrixXd a(features, features);
            for (auto& entry : a.reshaped()) entry = draw() - 0.5;
            c.covariance = a * a.transpose();
        }
        total += c.weight;
        components.push_back(std::move(c));
    }
    for (auto& c : components) c.weight /= total;
    return Prior::mixture(std::move(components));
}

}  // namespace

// Bayes risks from outside this project: the table of one known spike comes from the BPSK minimum
// mean-square error (Guo, Wu, Shamai & Verdu, arXiv:1004.3332) and direct quadrature; the paper's
// priors from two independent quadratures that agree to the digits shown.
TEST_CASE("Bayes risk equals the values computed elsewhere") {
    struct Row {
        Prior prior;
        std::int64_t tokens;
        double risk;
        double digits;
    };
    std::vector<Row> rows;
    const double spike[4][4] = {{0.32494329766243, 0.22479975460334, 0.11550911096465, 0.03429870439537},
                                {0.48112579971962, 0.35242326888417, 0.19412397365659, 0.06200263485872},
                                {0.57537233856589, 0.43774986593981, 0.25322614124253, 0.08542518501057},
                                {0.79033199413997, 0.66652084491966, 0.44687972882855, 0.18092080918427}};
    const std::int64_t lengths[] = {2, 3, 4, 10};
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            rows.push_back({Prior::spike(std::pow(2.0, static_cast<double>(j))), lengths[i], spike[i][j], 5e-15});
    // L = 2: half the BPSK error at half the strength.
    const double mmse[][2] = {{0.5, 0.64988659532486918568},
                              {1, 0.44959950920667282971},
                              {2, 0.23101822192929561944},
                              {4, 0.068597408790738814024},
                              {10, 0.0024113147354122573302}};
    for (const auto& [s, value] : mmse) rows.push_back({Prior::spike(2 * s), 2, value / 2, 0});
    rows.push_back({Prior::flipping_spike(2, 2), 4, 0.342927798614, 5e-13});
    rows.push_back({Prior::flipping_spike(2, 2), 5, 0.397226425625, 5e-13});
    rows.push_back({Prior::flipping_spike(2, 2), 10, 0.553397713617, 5e-13});
    rows.push_back({Prior::gaussian(Eigen::Vector2d(8, 2)), 5, 0.393124087226, 5e-13});
    rows.push_back({Prior::gaussian(Eigen::Vector2d(4, 4)), 5, 0.420648732827, 5e-13});
    rows.push_back({Prior::gaussian(Eigen::VectorXd::Constant(4, 10)), 5, 0.065346786102, 5e-13});
    rows.push_back({Prior::spikes(4, 10), 5, 0.149035113557, 5e-13});
    rows.push_back({Prior::spike(8), 1000, 0.793070920791, 5e-13});
    for (const auto& [prior, tokens, risk, digits] : rows) {
        const RiskEstimate r = bayes_risk(prior, tokens);
        INFO("L = " << tokens << ", risk " << risk);
        CHECK(r.method == "mellin");
        CHECK(r.risk.error < 1e-12);
        CHECK(std::abs(r.risk.value - risk) <= r.risk.error + digits);
        CHECK(std::abs(r.risk.value - risk) < 1e-12);
        CHECK(agree(r.risk, r.squared));
    }
}

TEST_CASE("independent methods agree on the Bayes risk within their errors") {
    const std::vector<Prior> priors{Prior::spike(4), Prior::flipping_spike(2, 2),
                                    Prior::gaussian(Eigen::Vector2d(8, 2)), Prior::gaussian(Eigen::Vector2d(4, 4)),
                                    Prior::spikes(4, 10)};
    for (const auto& prior : priors)
        for (const std::int64_t tokens : {std::int64_t{2}, std::int64_t{5}, std::int64_t{1'000'000}}) {
            const RiskEstimate mellin = bayes_risk(prior, tokens);
            const RiskEstimate lattice = bayes_risk(prior, tokens, by(RiskMethod::lattice));
            const RiskEstimate sobol = bayes_risk(prior, tokens, by(RiskMethod::sobol));
            CHECK(lattice.method == "lattice");
            CHECK(lattice.risk.error <= 1e-10);
            CHECK(agree(mellin.risk, lattice.risk));
            CHECK(agree(mellin.risk, sobol.risk));
            CHECK(sobol.risk.error < 2e-4);
            if (tokens > 5) continue;
            const RiskEstimate played = bayes_risk(prior, tokens, by(RiskMethod::monte_carlo));
            CHECK(agree(mellin.risk, played.risk));
            CHECK(agree(mellin.risk, played.squared));
        }
}

TEST_CASE("isotropic Gaussians by their radial law, in any number of features") {
    for (const int features : {1, 2, 7, 40}) {
        const Prior prior = Prior::gaussian(Eigen::VectorXd::Constant(features, 3));
        CHECK(agree(bayes_risk(prior, 5).risk, bayes_risk(prior, 5, by(RiskMethod::radial)).risk));
    }
    const Eigen::Matrix2d identity = Eigen::Matrix2d::Identity();
    const Eigen::Vector2d zero = Eigen::Vector2d::Zero();
    const Prior scales = Prior::mixture({{0.5, zero, identity}, {0.5, zero, 10 * identity}});
    const RiskEstimate r = bayes_risk(scales, 5);
    CHECK(r.method == "radial");
    CHECK(agree(r.risk, bayes_risk(scales, 5, by(RiskMethod::lattice)).risk));
}

TEST_CASE("general mixtures in two and three features") {
    const Prior two = Prior::mixture({{0.7, Eigen::Vector2d(0.9, -0.4), Eigen::Vector2d(0.3, 0.1).asDiagonal()},
                                      {0.3, Eigen::Vector2d(-0.6, 1.5), Eigen::Matrix2d::Zero()}});
    const Prior three = Prior::mixture({{0.7, Eigen::Vector3d(0.9, -0.4, 1), Eigen::Vector3d(0.3, 0.1, 1).asDiagonal()},
                                        {0.3, Eigen::Vector3d(-0.6, 1.5, 0.3), Eigen::Matrix3d::Zero()}});
    for (const auto& prior : {two, three}) {
        const RiskEstimate r = bayes_risk(prior, 5);
        CHECK(r.method == "lattice");
        CHECK(r.risk.error <= 1e-10);
        CHECK(agree(r.risk, bayes_risk(prior, 5, by(RiskMethod::sobol)).risk));
        CHECK(agree(r.risk, bayes_risk(prior, 5, by(RiskMethod::monte_carlo)).squared));
    }
    // Four features that do not fall apart: sobol, and the error says so.
    std::vector<Component> atoms;
    for (int f = 0; f < 4; ++f)
        atoms.push_back({0.25, Eigen::VectorXd::Ones(4) + Eigen::VectorXd::Unit(4, f), Eigen::MatrixXd::Zero(4, 4)});
    const RiskEstimate four = bayes_risk(Prior::mixture(atoms), 5);
    CHECK(four.method == "sobol");
    CHECK(four.risk.kind == ErrorKind::standard);
    CHECK(agree(four.risk, bayes_risk(Prior::mixture(atoms), 5, by(RiskMethod::monte_carlo)).risk));
}

TEST_CASE("errors of the lattice cover the distance to the closed form") {
    const Prior prior = Prior::gaussian(Eigen::Vector2d(3, 1));
    const double truth = bayes_risk(prior, 7).risk.value;
    for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9}) {
        RiskOptions options = by(RiskMethod::lattice);
        options.tolerance = tolerance;
        const Estimate r = bayes_risk(prior, 7, options).risk;
        CHECK(std::abs(r.value - truth) <= r.error);
        CHECK(r.error <= tolerance);
    }
}

TEST_CASE("the I-MMSE sum rule") {
    // int_0^oo risk(nu) d nu = 2 log L for one known spike of strength nu. With nu = x^2 the integrand is
    // smooth; beyond nu = 400 it is below (L-1) e^{-nu/8}: 1e-19.
    for (const std::int64_t tokens : {2, 3, 10, 100}) {
        const auto integrand = [&](double x) { return 2 * x * bayes_risk(Prior::spike(x * x), tokens).risk.value; };
        double total = 0;
        for (double from = 0; from < 20; from += 2.5)
            total += boost::math::quadrature::gauss<double, 20>::integrate(integrand, from, from + 2.5);
        CHECK(std::abs(total - 2 * std::log(static_cast<double>(tokens))) < 1e-8);
        CHECK(std::abs(total - 2 * std::log(static_cast<double>(tokens))) < 1e-9);  // what is reached
    }
}

// Nishimori from the definitions: the relevant token's law is integrated on its own, not as the null
// law reweighted by w, so that both expectations know nothing of each other.
TEST_CASE("Nishimori for fifty random mixtures") {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const int features = seed % 2 == 0 ? 1 : 2;
        const Prior prior = random_mixture(features, seed);
        const std::int64_t tokens = 2 + static_cast<std::int64_t>(seed % 7);
        const LikelihoodRatio ratio(prior);
        PointLaw null, relevant;
        const double h = 0.16, reach = 8;
        const auto points = [&](PointLaw& law, double weight, const Eigen::VectorXd& mean,
                                const Eigen::MatrixXd& root) {
            const int n = static_cast<int>(reach / h);
            Eigen::VectorXd z = Eigen::VectorXd::Zero(features);
            for (int i = -n; i <= n; ++i)
                for (int j = features == 1 ? 0 : -n; j <= (features == 1 ? 0 : n); ++j) {
                    z[0] = i * h;
                    if (features == 2) z[1] = j * h;
                    law.add(ratio.log(mean + root * z),
                            weight * std::pow(h / std::sqrt(2 * M_PI), features) * std::exp(-z.squaredNorm() / 2));
                }
        };
        const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(features, features);
        points(null, 1, Eigen::VectorXd::Zero(features), identity);
        for (const auto& c : prior.components())
            points(relevant, c.weight, c.mean, square_root_factor(identity + c.covariance));
        const RaceGrid lattice{-95, 0.25, 560};
        const RaceTransform t0 = null.transform(lattice), te = relevant.transform(lattice);
        double relevant_probability = 0, squares = 0;
        const auto others = static_cast<double>(tokens - 1);
        for (int j = 0; j < lattice.count; ++j) {
            const double survive = std::exp(others * t0.log_survival[j]);
            relevant_probability += lattice.step * te.first[j] * survive;
            squares += lattice.step *
                       (te.second[j] * survive +
                        others * t0.second[j] * std::exp(te.log_survival[j] + (others - 1) * t0.log_survival[j]));
        }
        INFO("seed " << seed);
        CHECK(std::abs(relevant_probability - squares) < 1e-9);
        const RiskEstimate r = bayes_risk(prior, tokens);
        CHECK(agree(r.risk, r.squared));
        CHECK(std::abs(1 - relevant_probability - r.risk.value) < 1e-9);
        CHECK(r.risk.error < 1e-9);
    }
}

TEST_CASE("Bayes risk from two to a billion tokens") {
    for (const auto& prior : {Prior::spike(20), Prior::gaussian(Eigen::Vector3d(20, 10.5, 1)), Prior::spikes(4, 10)}) {
        double last = 0;
        for (const double power : {0.301, 1.0, 2.0, 4.0, 6.0, 9.0}) {
            const auto tokens = static_cast<std::int64_t>(std::round(std::pow(10, power)));
            const RiskEstimate r = bayes_risk(prior, tokens);
            CHECK(r.risk.value > last);  // one more null token never helps
            CHECK(r.risk.value < 1 - 1 / static_cast<double>(tokens));
            CHECK(r.risk.error < 1e-11);
            last = r.risk.value;
        }
    }
    // A signal of no strength: guessing, to the last digit.
    CHECK(std::abs(bayes_risk(Prior::spike(0), 1'000'000'000).risk.value - (1 - 1e-9)) < 1e-12);
    // One of enormous strength: none left.
    CHECK(bayes_risk(Prior::spike(1e6), 1'000'000'000).risk.value < 1e-30);
}

TEST_CASE("Bayes risk does not depend on coordinates") {
    const Eigen::Matrix2d turn = Eigen::Rotation2Dd(0.7).toRotationMatrix();
    const Prior straight = Prior::flipping_spike(3, 1);
    std::vector<Component> turned = straight.components();
    for (auto& c : turned) c.mean = turn * c.mean;
    CHECK(agree(bayes_risk(straight, 6).risk, bayes_risk(Prior::mixture(turned), 6).risk));
}

TEST_CASE("Bayes risk refuses what it cannot do") {
    CHECK_THROWS_AS(bayes_risk(Prior::spike(1), 1), InvalidInput);
    CHECK_THROWS_AS(bayes_risk(Prior::flipping_spike(1, 2), 5, by(RiskMethod::mellin)), InvalidInput);
    CHECK_THROWS_AS(bayes_risk(Prior::gaussian(Eigen::Vector2d(1, 2)), 5, by(RiskMethod::radial)), InvalidInput);
    CHECK_THROWS_AS(bayes_risk(Prior::gaussian(Eigen::Vector4d(1, 2, 3, 4)), 5, by(RiskMethod::lattice)), InvalidInput);
    CHECK_THROWS_AS(risk_method_from_name("magic"), InvalidInput);
    CHECK(risk_method_from_name("monte-carlo") == RiskMethod::monte_carlo);
}
