// The closed forms of c_1^(2), c_2^(2) and c_3^(2) against second derivatives measured in 50 digits: of the
// population loss itself, by the race integrals of loss_reference.hpp, which know nothing of expansions.
#include <lemmata/loss_reference.hpp>
#include <lemmata/symbolic/constants.hpp>

#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <catch2/catch.hpp>
#include <future>

using namespace lemmata;
using Digits50 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;

namespace {

struct Sizes {
    int L, H, B;  // B = e^b
};

Digits50 closed_form(const std::vector<symbolic::Constant>& list, const symbolic::Symbols& s, const char* key,
                     const Sizes& sizes) {
    const GiNaC::ex value =
        symbolic::find_constant(list, key).value.subs(GiNaC::lst{s.L == sizes.L, s.H == sizes.H, s.B == sizes.B});
    const auto rational = GiNaC::ex_to<GiNaC::numeric>(value);
    return Digits50(rational.numer().to_long()) / Digits50(rational.denom().to_long());
}

// The coefficient of t^2 in E(t m, t r), E even in t: the slope at 0 of the cubic in t^2 through four values,
// which leaves 5e3 h^6 times the coefficient of t^8. So narrow, the lattices do not change with t, and their
// error, 10^-digits, is differentiated like the loss and not divided by h^2. Steps are powers of two and the
// prior's variance is 3, so that equal and opposite heads are exactly so, which makes it quick.
Digits50 curvature(Activation activation, const Sizes& sizes, const Eigen::MatrixXd& m, const Eigen::MatrixXd& r) {
    const Problem problem{activation, sizes.L, Prior::gaussian(Eigen::VectorXd::Constant(1, 3.0))};
    const double digits = 17, h = 0x1p-12;
    const auto loss = [&](double t) {
        StateOf<Digits50> state;
        state.m = (t * m).cast<Digits50>();
        state.r = (t * r).cast<Digits50>();
        state.b = VectorOf<Digits50>::Constant(sizes.H, log(Digits50(sizes.B)));
        state.v = Digits50(sizes.L + sizes.B) / sizes.L;  // the line of Lemma A.4; softmax ignores it
        return loss_reference(problem, state, digits);
    };
    const std::array<double, 4> t{h, 2 * h, 4 * h, 8 * h};
    std::array<std::future<Digits50>, 4> values;
    for (std::size_t i = 0; i < 4; ++i) values[i] = std::async(std::launch::async, loss, t[i]);
    Digits50 slope = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        Digits50 product = 1, sum = 0;  // Lagrange: l_i'(0) = l_i(0) sum_j -1/x_j, x = t^2
        for (std::size_t j = 0; j < 4; ++j) {
            if (j == i) continue;
            product *= Digits50(t[j] * t[j]) / (t[j] * t[j] - t[i] * t[i]);
            sum -= 1 / Digits50(t[j] * t[j]);
        }
        slope += values[i].get() * product * sum;
    }
    return slope;
}

}  // namespace

TEST_CASE("second-order constants agree with curvatures measured in 50 digits") {
    const Digits50 tolerance("1e-15");  // relative
    for (const Activation activation : {Activation::softmax, Activation::softmax_1}) {
        symbolic::ScoreDerivatives derivatives(symbolic::builtin_activation(std::string(name(activation))));
        const auto list = symbolic::constants(derivatives, {2});
        for (const Sizes& sizes : {Sizes{3, 2, 2}, Sizes{2, 1, 1}, Sizes{5, 1, 3}, Sizes{50, 1, 1}, Sizes{4, 1, 2}}) {
            INFO(name(activation) << " L=" << sizes.L << " H=" << sizes.H << " B=" << sizes.B);
            const auto constant = [&](const char* key) { return closed_form(list, derivatives.symbols(), key, sizes); };
            const Digits50 c1 = constant("c_1^(2)"), c2 = constant("c_2^(2)"), c3 = constant("c_3^(2)"),
                           c4 = constant("c_4^(2)"), V = 3, H = sizes.H;
            const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(sizes.H, 1);
            const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(sizes.H, 1);
            Eigen::MatrixXd common = Eigen::MatrixXd::Zero(sizes.H, sizes.H);
            common.col(0) = ones;
            const auto same = [&](const Digits50& measured, const Digits50& expected) {
                const Digits50 allowed = tolerance * abs(expected);
                CHECK(abs(measured - expected) <= allowed);
                const Digits50 wrong = expected * (1 + Digits50("1e-12"));  // the control
                CHECK_FALSE(abs(measured - wrong) <= allowed);
            };
            same(curvature(activation, sizes, none, common), c1 * H * H);
            same(curvature(activation, sizes, ones, 0 * common),
                 c1 * H * H + (c2 + c4) * V * H * H - (c3 + c4) * V * H);
            if (sizes.H == 2)
                same(curvature(activation, sizes, Eigen::Vector2d(1, -1), 0 * common), -(c3 + c4) * V * H);
        }
    }
}
