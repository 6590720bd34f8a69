#include <lemmata/symbolic/loss_expansion.hpp>

#include <catch2/catch.hpp>

#include "symbolic/brute_force.hpp"

using namespace lemmata::symbolic;

namespace {

// A value for each tensor entry: symmetric, integer and otherwise without pattern.
GiNaC::ex entry(char name, std::vector<int> heads) {
    std::sort(heads.begin(), heads.end());
    int mixed = int(name);
    for (const int h : heads) mixed = mixed * 7 % 101 + h * h + 3;
    return mixed % 23 - 11;
}

// sum over heads of a monomial such as "q_aa q_bc v".
GiNaC::ex value_of(const std::string& monomial, int H) {
    std::string letters;
    for (std::size_t i = 0; i < monomial.size(); ++i)
        if (i > 0 && monomial[i] >= 'a' && monomial[i] <= 'f' && monomial[i - 1] != ' ' &&
            letters.find(monomial[i]) == std::string::npos)
            letters += monomial[i];
    std::vector<int> heads(letters.size(), 1);
    GiNaC::ex sum = 0;
    for (;;) {
        GiNaC::ex product = 1;
        for (std::size_t i = 0; i < monomial.size();) {
            const std::size_t end = std::min(monomial.find(' ', i), monomial.size());
            std::vector<int> indices;
            for (std::size_t k = i + 2; k < end; ++k) indices.push_back(heads[letters.find(monomial[k])]);
            product *= entry(monomial[i], indices);
            i = end + 1;
        }
        sum += product;
        std::size_t digit = 0;
        while (digit < heads.size() && ++heads[digit] > H) heads[digit++] = 1;
        if (digit == heads.size()) return sum;
    }
}

GiNaC::ex general_value(ScoreDerivatives& derivatives, const Degree& degree, int H, int L) {
    GiNaC::ex sum = 0;
    for (const auto& [monomial, coefficient] : loss_terms(derivatives, degree))
        sum += coefficient * value_of(monomial, H);
    return sum.subs(GiNaC::lst{derivatives.symbols().L == L, derivatives.symbols().H == H}).normal();
}

// The same part of the loss with every sum over heads and tokens written out.
GiNaC::ex explicit_value(const brute_force::Explicit& model, const Degree& degree) {
    const GiNaC::ex phi = model.loss();
    const int slots = 2 * degree.covariance + degree.signal + degree.bias;
    std::vector<int> index(std::size_t(slots + degree.covariance), 1);  // heads, then a token per q
    std::map<Directions, GiNaC::ex> known;
    GiNaC::ex sum = 0;
    for (;;) {
        Directions directions;
        GiNaC::ex product = 1;
        std::size_t slot = 0;
        for (int i = 0; i < degree.covariance; ++i, slot += 2) {
            const int token = index[std::size_t(slots + i)];
            directions.insert(directions.end(), {score(index[slot], token), score(index[slot + 1], token)});
            product *= entry('q', {index[slot], index[slot + 1]});
        }
        static constexpr char moments[] = {' ', 's', 'M', 'K', 'J'};
        std::vector<int> signal;
        for (int i = 0; i < degree.signal; ++i) {
            signal.push_back(index[slot]);
            directions.push_back(score(index[slot++], 1));
        }
        if (degree.signal > 0) product *= entry(moments[degree.signal], signal);
        for (int i = 0; i < degree.bias; ++i) {
            product *= entry('b', {index[slot]});
            directions.push_back(bias(index[slot++]));
        }
        for (int i = 0; i < degree.scale; ++i) {
            product *= entry('v', {});
            directions.push_back(scale());
        }
        std::sort(directions.begin(), directions.end());
        const auto [found, is_new] = known.try_emplace(directions);
        if (is_new) found->second = model.derivative(phi, directions);
        sum += product * found->second;
        std::size_t digit = 0;
        while (digit < index.size() && ++index[digit] > (int(digit) < slots ? model.heads : model.tokens))
            index[digit++] = 1;
        if (digit == index.size()) break;
    }
    const auto factorial = [](int n) { return GiNaC::factorial(GiNaC::numeric(n)); };
    return (sum / (GiNaC::pow(2, degree.covariance) * factorial(degree.covariance) * factorial(degree.signal) *
                   factorial(degree.bias) * factorial(degree.scale)))
        .normal();
}

struct Size {
    int H, L;
};

}  // namespace

TEST_CASE("terms of the loss agree with all sums written out") {
    const std::vector<Degree> low{{0, 1}, {1, 0}, {0, 2}, {0, 0, 1}, {0, 0, 2}, {0, 0, 0, 2}, {0, 0, 1, 1}, {0, 1, 1}};
    const std::vector<Degree> high{{0, 3}, {1, 1}, {1, 0, 1}, {2, 0}, {1, 2}, {0, 4}};
    for (const ActivationDefinition& definition : builtin_activations()) {
        ScoreDerivatives derivatives(define_activation(definition));
        const auto compare = [&](const Degree& degree, const Size& size) {
            INFO(definition.name << " H=" << size.H << " L=" << size.L << " degree " << degree.covariance
                                 << degree.signal << degree.bias << degree.scale);
            const brute_force::Explicit model(derivatives.family(), size.H, size.L);
            CHECK((general_value(derivatives, degree, size.H, size.L) - explicit_value(model, degree))
                      .normal()
                      .is_zero());
        };
        for (const Degree& degree : low)
            for (const Size& size : {Size{1, 2}, {2, 2}, {2, 4}, {3, 3}}) compare(degree, size);
        for (const Degree& degree : high)
            for (const Size& size : {Size{1, 2}, {1, 3}, {2, 2}, {2, 3}, {3, 2}}) compare(degree, size);
        // Four different heads matter where heads see each other.
        if (definition.name == "bayes-softmax")
            for (const Degree& degree : {Degree{2, 0}, {0, 4}}) compare(degree, {4, 2});
    }
}

TEST_CASE("the interaction of two features is part of the general expansion") {
    // s = u theta_f + w theta_fbar, both centred, independent, so that with q = u u' + w w' the terms of
    // degree 4 restricted to u^2 w^2 must come out the same: by polarisation, at numeric u and w.
    ScoreDerivatives derivatives(builtin_activation("bayes-softmax"));
    const Symbols& s = derivatives.symbols();
    const int H = 4;
    const std::vector<GiNaC::ex> u{2, -1, 3, 5}, w{1, 4, -2, 3};
    const auto contract = [&](const std::map<std::string, GiNaC::ex>& terms, const auto& tensor) {
        GiNaC::ex sum = 0;
        for (const auto& [monomial, coefficient] : terms) {
            std::vector<int> heads(4, 0);
            GiNaC::ex part = 0;
            std::set<char> letters;
            for (std::size_t i = 1; i < monomial.size(); ++i)
                if (monomial[i - 1] != ' ' && monomial[i] >= 'a' && monomial[i] <= 'd') letters.insert(monomial[i]);
            const int free = int(letters.size());
            for (int code = 0; code < int(std::pow(H, free)); ++code) {
                for (int i = 0, rest = code; i < free; ++i, rest /= H) heads[std::size_t(i)] = rest % H;
                GiNaC::ex product = 1;
                for (std::size_t i = 0; i < monomial.size();) {
                    const std::size_t end = std::min(monomial.find(' ', i), monomial.size());
                    std::vector<std::size_t> at;
                    for (std::size_t k = i + 2; k < end; ++k)
                        at.push_back(std::size_t(heads[std::size_t(monomial[k] - 'a')]));
                    product *= tensor(monomial[i], at);
                    i = end + 1;
                }
                part += product;
            }
            sum += coefficient * part;
        }
        return sum;
    };
    const GiNaC::symbol t("t"), z("z");  // u -> t u, w -> z w: the wanted part is the coefficient of t^2 z^2
    const auto full = [&](char name, const std::vector<std::size_t>& at) -> GiNaC::ex {
        GiNaC::ex a = 1, b = 1, mixed = 0;
        switch (name) {
            case 'q':
                return t * t * u[at[0]] * u[at[1]] + z * z * w[at[0]] * w[at[1]];
            case 'M':
                return s.V * t * t * u[at[0]] * u[at[1]] + s.W * z * z * w[at[0]] * w[at[1]];
            case 'J':
                // E s_a s_b s_c s_d, its part u u w w: pairs {i, j} carry u.
                for (std::size_t i = 0; i < 4; ++i)
                    for (std::size_t j = 0; j < i; ++j) {
                        a = 1;
                        for (std::size_t k = 0; k < 4; ++k) a *= (k == i || k == j) ? u[at[k]] : w[at[k]];
                        mixed += a;
                    }
                return b * mixed * s.V * s.W * t * t * z * z;
            default:
                return 0;
        }
    };
    GiNaC::ex expected = 0;
    for (const Degree& degree : {Degree{2, 0}, {1, 2}, {0, 4}})
        expected += contract(loss_terms(derivatives, degree), full).expand().coeff(t, 2).coeff(z, 2);
    const GiNaC::ex found =
        contract(feature_interaction(derivatives),
                 [&](char name, const std::vector<std::size_t>& at) { return name == 'u' ? u[at[0]] : w[at[0]]; });
    CHECK((expected - found).normal().is_zero());
}

TEST_CASE("softmax-1 without a sink is softmax") {
    const Symbols s;
    ScoreDerivatives one(builtin_activation("softmax-1", s)), plain(builtin_activation("softmax", s));
    const auto a = feature_interaction(one), b = feature_interaction(plain);
    for (const auto& [monomial, value] : b)
        CHECK((a.at(monomial).subs(GiNaC::lst{s.B == 0, s.v == 1}) - value).normal().is_zero());
}

TEST_CASE("a skewed weight enters the Hessian at third order") {
    // So the remainder O(|m|^4) of eq. (58) needs E theta^3 = 0 [2603.03993v1, Lemma A.6].
    ScoreDerivatives softmax(builtin_activation("softmax"));
    CHECK_FALSE(skewed_interaction(softmax).at("u_a u_a w_a w_a w_a").is_zero());
}
