#include <lemmata/symbolic/bayes_posterior.hpp>

#include <string>

namespace lemmata::symbolic {
namespace {

using GiNaC::ex;
using GiNaC::matrix;

matrix symbols(const std::string& name, unsigned rows, unsigned columns) {
    matrix m(rows, columns);
    for (unsigned i = 0; i < rows; ++i)
        for (unsigned j = 0; j < columns; ++j)
            m(i, j) = GiNaC::symbol(name + std::to_string(i + 1) + std::to_string(j + 1));
    return m;
}

ex dot(const matrix& a, const matrix& b) {
    return a.transpose().mul(b)(0, 0);
}

}  // namespace

PosteriorDerivation derive_posterior() {
    PosteriorDerivation result;
    const ex half = ex(1) / 2;

    const matrix weights = symbols("theta", 2, 1), token = symbols("x", 3, 1), spikes = symbols("k", 2, 3);
    const matrix signal = spikes.transpose().mul(weights);
    const matrix noise = token.sub(signal);
    const ex log_ratio = half * (dot(token, token) - dot(noise, noise));
    const ex linear = dot(weights, spikes.mul(token));
    result.likelihood = equal(log_ratio, linear - half * dot(weights, spikes.mul(spikes.transpose()).mul(weights)));
    result.printed = equal(log_ratio, linear - half * dot(weights, weights));

    const GiNaC::symbol theta("theta"), t("t"), mu("mu"), p("p"), v("v");
    const ex a = 1 / v + p;
    const ex centre = (t + mu / v) / a;
    const ex remainder = half * (a * centre * centre - mu * mu / v);
    result.square = equal(theta * t - half * p * theta * theta - half * GiNaC::pow(theta - mu, 2) / v,
                          -half * a * GiNaC::pow(theta - centre, 2) + remainder);
    const ex wide = p + p * v * p;
    result.exponent = equal(remainder, half * (t * t / p - GiNaC::pow(t - p * mu, 2) / wide));
    result.determinant = equal(v * a, wide / p);
    return result;
}

}  // namespace lemmata::symbolic
