// The constants against the loss itself, in 60 digits, at scores so small that nothing else is left.
//
// The loss is evaluated from its definition: a Gaussian cubature over the overlaps chi* of every token
// (three nodes each, exact for polynomials up to degree 5) and the paper's three activations as
// printed. At overlaps of size t = 1e-9 the next terms are 1e-18 of the one measured, so differences of
// losses give constants in more than 15 digits. Nothing here expands an activation.
#include <lemmata/activation.hpp>
#include <lemmata/symbolic/constants.hpp>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <catch2/catch.hpp>

#include <vector>

using namespace lemmata::symbolic;
using lemmata::Activation;

namespace {

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>, boost::multiprecision::et_off>;
using Vector = std::vector<Real>;

struct Size {
    int L, H;
};

// Two features with weights theta = +-spread (or the constant theta = spread if not flipping).
struct Feature {
    Vector overlap;  // of each head
    int spread = 0;
    bool flipping = true;
};

struct Setting {
    Activation activation;
    Size size;
    Vector b;
    Real v = 1;
};

// A token's weights w_h = e^{chi_h} at one node of its cubature, or of the relevant token's.
struct Node {
    Real probability;
    Vector weights;
};

Vector zeros(int H) {
    return Vector(std::size_t(H), Real(0));
}

std::vector<Node> nodes(const Setting& setting, const std::vector<Feature>& features, bool relevant) {
    std::vector<Node> result{{Real(1), zeros(setting.size.H)}};
    const Real root3 = sqrt(Real(3));
    for (const Feature& feature : features) {
        std::vector<std::pair<Real, Real>> values;  // of chi*_f, with probabilities
        const std::vector<int> signs = relevant && feature.flipping ? std::vector{-1, 1} : std::vector{1};
        for (const int sign : signs)
            for (int k = -1; k <= 1; ++k)
                values.emplace_back(root3 * k + (relevant ? sign * feature.spread : 0),
                                    (k == 0 ? Real(2) / 3 : Real(1) / 6) / Real(int(signs.size())));
        std::vector<Node> finer;
        for (const Node& node : result)
            for (const auto& [value, probability] : values) {
                finer.push_back(node);
                finer.back().probability *= probability;
                for (std::size_t h = 0; h < feature.overlap.size(); ++h)
                    finer.back().weights[h] += feature.overlap[h] * value;
            }
        result = std::move(finer);
    }
    for (Node& node : result)
        for (std::size_t h = 0; h < node.weights.size(); ++h) {
            // Bayes-softmax has e^{chi + b} where the others have e^{chi}.
            if (setting.activation == Activation::bayes_softmax) node.weights[h] += setting.b[h];
            node.weights[h] = exp(node.weights[h]);
        }
    return result;
}

class Loss {
public:
    Loss(const Setting& setting, const std::vector<Feature>& features)
        : setting_(setting), null_(nodes(setting, features, false)), relevant_(nodes(setting, features, true)) {
        for (const Real& b : setting.b) sink_.push_back(exp(b));
    }

    Real value() {
        total_ = 0;
        for (const Node& first : relevant_) {
            first_ = &first;
            counts_.assign(null_.size(), 0);
            fill(0, setting_.size.L - 1, first.probability, first.weights);
        }
        return total_;
    }

private:
    const Setting& setting_;
    std::vector<Node> null_, relevant_;
    Vector sink_;
    const Node* first_ = nullptr;
    std::vector<int> counts_;
    Real total_;

    // Null tokens are exchangeable: how many of them sit at each node, with multinomial probability.
    void fill(std::size_t which, int left, const Real& probability, const Vector& sums) {
        if (which + 1 == null_.size()) {
            place(which, left, probability, sums);
            return;
        }
        for (int n = 0; n <= left; ++n) {
            Vector more = sums;
            Real p = probability;
            for (int i = 0; i < n; ++i) p *= null_[which].probability * (left - i) / (n - i);
            for (std::size_t h = 0; h < more.size(); ++h) more[h] += n * null_[which].weights[h];
            counts_[which] = n;
            fill(which + 1, left - n, p, more);
        }
    }
    void place(std::size_t which, int n, const Real& probability, const Vector& sums) {
        counts_[which] = n;
        Real p = probability;
        Vector all = sums;
        for (int i = 0; i < n; ++i) p *= null_[which].probability;
        for (std::size_t h = 0; h < all.size(); ++h) all[h] += n * null_[which].weights[h];
        total_ += p * integrand(all);
    }
    Real integrand(const Vector& sums) {
        const int H = setting_.size.H;
        Vector gain(sums.size());
        Real everything = 0;
        for (const Real& sum : sums) everything += sum;
        for (std::size_t h = 0; h < sums.size(); ++h) switch (setting_.activation) {
                case Activation::softmax:
                    gain[h] = 1 / sums[h];
                    break;
                case Activation::softmax_1:
                    gain[h] = setting_.v / (sink_[h] + sums[h]);
                    break;
                case Activation::bayes_softmax:
                    gain[h] = H / everything;
                    break;
            }
        const auto mean = [&](const Node& node) {
            Real sum = 0;
            for (std::size_t h = 0; h < gain.size(); ++h) sum += node.weights[h] * gain[h];
            return Real(sum / H);
        };
        const Real missed = 1 - mean(*first_);
        Real result = missed * missed;
        for (std::size_t k = 0; k < null_.size(); ++k)
            if (counts_[k] > 0) {
                const Real m = mean(null_[k]);
                result += counts_[k] * m * m;
            }
        return result;
    }
};

const Real t("1e-9");

Vector times(const Real& factor, const std::vector<int>& direction, int H) {
    Vector result = zeros(H);
    for (std::size_t h = 0; h < direction.size(); ++h) result[h] = factor * direction[h];
    return result;
}

// The constants' exact values at a size, bias and scale.
struct Exact {
    std::vector<Constant> list;
    GiNaC::exmap point;

    [[nodiscard]] Real operator()(const std::string& key) const {
        const auto value = GiNaC::ex_to<GiNaC::numeric>(find_constant(list, key).value.subs(point));
        const auto integer = [](const GiNaC::numeric& n) {
            std::ostringstream out;
            out << n;
            return Real(out.str());
        };
        return integer(value.numer()) / integer(value.denom());
    }
};

// Equal to 15 digits of the larger, or of `size` where the value is 0.
void agree(const Real& measured, const Real& exact, double size = 1e-3) {
    CHECK(abs(measured - exact) <= Real(1e-15) * std::max(Real(abs(exact)), Real(size)));
}

const std::vector<Size> sizes{{2, 4}, {3, 4}, {3, 5}, {4, 4}, {5, 6}};

// B = e^b = 3/2 and, for softmax-1, v = 5/4: off the line, so that every term is there.
struct Case {
    Setting setting;
    Exact exact;
};
Case make(Activation activation, const Size& size) {
    Case result;
    const Real b = activation == Activation::softmax ? Real(0) : Real(log(Real(3) / 2));
    result.setting = {activation, size, Vector(std::size_t(size.H), b), Real(5) / 4};
    ScoreDerivatives derivatives(builtin_activation(lemmata::name(activation)));
    const Symbols& s = derivatives.symbols();
    result.exact.list = constants(derivatives, {1, 2, 3, 4}, false);
    result.exact.point = {{s.L, size.L}, {s.H, size.H}, {s.B, GiNaC::numeric(3, 2)}, {s.v, GiNaC::numeric(5, 4)},
                          {s.V, 1},      {s.W, 4}};
    return result;
}

}  // namespace

TEST_CASE("constants of orders 1 to 3 agree with the loss in 15 digits") {
    for (const Activation activation : lemmata::all_activations)
        for (const Size& size : sizes) {
            const Case c = make(activation, size);
            INFO(lemmata::name(activation) << " L=" << size.L << " H=" << size.H);
            const auto loss = [&](const Real& scale, const std::vector<int>& m, int theta, bool flipping) {
                return Loss(c.setting, {{times(scale, m, size.H), theta, flipping}}).value();
            };
            const Real origin = loss(Real(0), {}, 0, true);
            agree(-(loss(t, {1}, 1, false) - loss(-t, {1}, 1, false)) / (2 * t), c.exact("c^(1)"));

            // Second order, by two heads together or against each other, with Var theta = 0 or 1.
            const auto second = [&](const std::vector<int>& m, int theta) -> Real {
                return (loss(t, m, theta, true) - origin) / (t * t);
            };
            const Real same0 = second({1, 1}, 0), apart0 = second({1, -1}, 0);
            const Real same1 = second({1, 1}, 1) - same0, apart1 = second({1, -1}, 1) - apart0;
            agree((same0 - apart0) / 4, c.exact("c_1^(2)"));
            agree(apart0 / 2, c.exact("c_6^(2)"));
            agree((same1 - apart1) / 4, c.exact("c_2^(2)") + c.exact("c_4^(2)"));
            agree(-apart1 / 2, c.exact("c_3^(2)") + c.exact("c_4^(2)"));

            // Third order: theta = 1 always, so E s_a s_b s_c = m_a m_b m_c and q_ab E s_c = m_a m_b m_c too.
            const auto third = [&](const std::vector<int>& m) -> Real {
                const Real odd1 = (loss(t, m, 1, false) - loss(-t, m, 1, false)) / 2;
                const Real odd2 = (loss(2 * t, m, 1, false) - loss(-2 * t, m, 1, false)) / 2;
                return (odd2 - 2 * odd1) / (6 * t * t * t);
            };
            const Real one = c.exact("[K_aaa]") + c.exact("[q_aa s_a]");
            const Real two = c.exact("[K_aab]") + c.exact("[q_aa s_b]") + c.exact("[q_ab s_a]");
            const Real three = c.exact("[K_abc]") + c.exact("[q_ab s_c]");
            agree(third({1}), one + two + three, 1e-2);
            agree(third({1, 2}), 9 * one + 15 * two + 27 * three, 1e-2);
            agree(third({1, -3, 2}), -18 * one, 1e-2);
        }
}

TEST_CASE("constants of the biases and the scale agree with the loss in 15 digits") {
    for (const Activation activation : {Activation::softmax_1, Activation::bayes_softmax})
        for (const Size& size : sizes) {
            const Case c = make(activation, size);
            INFO(lemmata::name(activation) << " L=" << size.L << " H=" << size.H);
            const auto loss = [&](const Real& b1, const Real& b2, const Real& v) {
                Setting moved = c.setting;
                moved.b[0] += b1;
                moved.b[1] += b2;
                moved.v += v;
                return Loss(moved, {}).value();
            };
            const Real origin = loss(0, 0, 0);
            agree((loss(t, 0, 0) - loss(-t, 0, 0)) / (2 * t), c.exact("[b_a]"));
            agree((loss(0, 0, t) - loss(0, 0, -t)) / (2 * t), c.exact("[v]"));
            agree((loss(t, t, 0) - loss(t, -t, 0) - loss(-t, t, 0) + loss(-t, -t, 0)) / (8 * t * t),
                  c.exact("c_5^(2)"));
            agree((loss(t, 0, 0) + loss(-t, 0, 0) - 2 * origin) / (2 * t * t),
                  c.exact("c_5^(2)") + c.exact("[b_a b_a]"));
            agree((loss(t, 0, t) - loss(t, 0, -t) - loss(-t, 0, t) + loss(-t, 0, -t)) / (4 * t * t),
                  c.exact("[b_a v]"));
        }
}

TEST_CASE("constants of Lemma A.6 agree with the loss in 15 digits") {
    const std::vector<Size> four_heads{
        {2, 4}, {3, 4}, {3, 5}, {4, 4}, {4, 6}};  // fewer cannot tell c_1, c_2, c_3 apart
    for (const Activation activation : lemmata::all_activations)
        for (const Size& size : four_heads) {
            const Case c = make(activation, size);
            INFO(lemmata::name(activation) << " L=" << size.L << " H=" << size.H);
            // The part of degree (2, 2) in u and w, with theta_f = +-1 and theta_fbar = +-2.
            const auto interaction = [&](const std::vector<int>& u, const std::vector<int>& w) -> Real {
                const auto loss = [&](int with_u, int with_w) {
                    return Loss(c.setting, {{times(t * with_u, u, size.H), 1}, {times(t * with_w, w, size.H), 2}})
                        .value();
                };
                return (loss(1, 1) - loss(1, 0) - loss(0, 1) + loss(0, 0)) / (t * t * t * t);
            };
            const Real c1 = 2 * interaction({1, -1}, {0, 0, 1, -1}) / 4;
            const Real c2 = 2 * (interaction({1, -1, 1, -1}, {1, 1, -1, -1}) - 8 * c1) / 4;
            const Real c3 = 2 * (interaction({1, -1}, {1, -1}) - 2 * c1 - c2) / 4;
            agree(c1, c.exact("c_1^(4)"));
            agree(c2, c.exact("c_2^(4)"), 1e-1);  // a difference of numbers of that size
            agree(c3, c.exact("c_3^(4)"), 1e-1);
            // M of eq. (58): with sums u'1 = 1, w'1 = 1 and one common head, all nine monomials.
            Real expected = (c.exact("c_1^(4)") + c.exact("c_2^(4)") + c.exact("c_3^(4)")) / 2;
            for (const std::string monomial : {"u_a u_a w_a w_b", "u_a u_a w_b w_c", "u_a u_b w_a w_a",
                                               "u_a u_b w_a w_c", "u_a u_b w_c w_c", "u_a u_b w_c w_d"})
                expected += c.exact("[" + monomial + "]");
            agree(interaction({1}, {1}), expected, 1e-1);
        }
}

TEST_CASE("a printed constant that lacks its factor 2 is noticed") {
    const Case c = make(Activation::softmax, {3, 4});
    const auto loss = [&](int with_u, int with_w) {
        return Loss(c.setting, {{times(t * with_u, {1, -1}, 4), 1}, {times(t * with_w, {0, 0, 1, -1}, 4), 2}}).value();
    };
    const Real measured = 2 * (loss(1, 1) - loss(1, 0) - loss(0, 1) + loss(0, 0)) / (4 * t * t * t * t);
    CHECK(abs(measured - c.exact("ct_1^(4)")) > Real(0.4) * measured);  // V ct_1 as printed in eq. (70)
}
