#include <lemmata/error.hpp>
#include <lemmata/symbolic/constants.hpp>

#include <fmt/format.h>
#include <algorithm>

namespace lemmata::symbolic {
namespace {

using Terms = std::map<std::string, GiNaC::ex>;

std::string latex_of(const std::string& monomial) {
    // "q_ab q_cd" -> "[q_{ab} q_{cd}]"
    std::string result = "[";
    bool open = false;
    for (const char c : monomial) {
        if (c == ' ' && open) {
            result += '}';
            open = false;
        }
        result += c;
        if (c == '_') {
            result += '{';
            open = true;
        }
    }
    return result + (open ? "}]" : "]");
}

class List {
public:
    void add(const std::string& key, const std::string& latex, const std::string& meaning, int order,
             const GiNaC::ex& value) {
        constants.push_back({key, latex, meaning, order, value.normal()});
    }
    void add_named(const std::string& letter, int index, int order, const std::string& meaning,
                   const GiNaC::ex& value) {
        const std::string base = letter == "ct" ? "\\tilde c" : letter;
        add(fmt::format("{}_{}^({})", letter, index, order), fmt::format("{}_{{{}}}^{{({})}}", base, index, order),
            meaning, order, value);
    }
    void add_terms(const Terms& terms, int order) {
        for (const auto& [monomial, value] : terms)
            add(fmt::format("[{}]", monomial), latex_of(monomial), fmt::format("sum over heads of {}", monomial), order,
                value);
    }
    std::vector<Constant> constants;
};

void first_order(ScoreDerivatives& d, List& list) {
    list.add("c^(1)", "c^{(1)}", "-dE/dm_h per E theta, at m = r = 0", 1, -loss_terms(d, {0, 1}).at("s_a"));
    list.add_terms(loss_terms(d, {0, 0, 1}), 1);
    list.add_terms(loss_terms(d, {0, 0, 0, 1}), 1);
}

void second_order(ScoreDerivatives& d, List& list) {
    const Terms q = loss_terms(d, {1, 0}), M = loss_terms(d, {0, 2}), b = loss_terms(d, {0, 0, 2});
    // (54): the residual part of (1/2) d^2 Phi / d chi_11 d chi_21.
    const Symbols& s = d.symbols();
    const Directions two_heads{score(1, 1), score(2, 1)};
    const GiNaC::ex c4 = (d.mean(1, {}) - 1) * d.mean(1, two_heads) + (s.L - 1) * d.mean(1, {}) * d.mean(2, two_heads);
    list.add_named("c", 1, 2, "sum q_ab", q.at("q_ab"));
    list.add_named("c", 2, 2, "sum M_ab, beside c_4^(2)", M.at("M_ab") - c4);
    list.add_named("c", 3, 2, "-sum M_aa, beside c_4^(2)", -M.at("M_aa") - c4);
    list.add_named("c", 4, 2, "sum M_ab - sum M_aa", c4);
    list.add_named("c", 5, 2, "(sum b_a)^2", b.at("b_a b_b"));
    list.add_named("c", 6, 2, "sum q_aa", q.at("q_aa"));
    list.add_terms({{"b_a b_a", b.at("b_a b_a")}}, 2);
    for (const Degree& degree : {Degree{0, 0, 1, 1}, {0, 0, 0, 2}, {0, 1, 1, 0}, {0, 1, 0, 1}})
        list.add_terms(loss_terms(d, degree), 2);
}

void third_order(ScoreDerivatives& d, List& list) {
    for (const Degree& degree : {Degree{0, 3},
                                 {1, 1},
                                 {1, 0, 1, 0},
                                 {0, 2, 1, 0},
                                 {1, 0, 0, 1},
                                 {0, 2, 0, 1},
                                 {0, 0, 3, 0},
                                 {0, 0, 2, 1},
                                 {0, 0, 1, 2},
                                 {0, 0, 0, 3}})
        list.add_terms(loss_terms(d, degree), 3);
}

void fourth_order(ScoreDerivatives& d, List& list) {
    const GiNaC::symbol& V = d.symbols().V;
    Terms terms = feature_interaction(d);
    const auto take = [&](const char* monomial) {
        GiNaC::ex value = terms.at(monomial);
        terms.erase(monomial);
        return value;
    };
    const GiNaC::ex norm = take("u_a u_a w_b w_b"), diagonal = take("u_a u_a w_a w_a"), outer = take("u_a u_b w_a w_b");
    // Linear in V by construction: V stands once for the pair u u at the relevant token.
    const auto with_V = [&](const GiNaC::ex& e) { return e.diff(V); };
    const auto without_V = [&](const GiNaC::ex& e) { return e.subs(V == 0); };
    list.add_named("c", 1, 4, "Hessian in m_f: |w|^2 I_H", 2 * norm);
    list.add_named("c", 2, 4, "Hessian in m_f: Diag(w^2)", 2 * diagonal);
    list.add_named("c", 3, 4, "Hessian in m_f: w w'", 2 * outer);
    list.add_named("ct", 1, 4, "|w|^2 I_H x Cov", with_V(norm));
    list.add_named("ct", 2, 4, "Diag(w^2) x I_F", without_V(diagonal));
    list.add_named("ct", 3, 4, "Diag(w^2) x Cov", with_V(diagonal));
    list.add_named("ct", 4, 4, "w w' x I_F", without_V(outer));
    list.add_named("ct", 5, 4, "w w' x Cov", with_V(outer));
    list.add_named("ct", 6, 4, "|w|^2 I_H x I_F", without_V(norm));
    list.add_terms(terms, 4);
    for (const Degree& degree : {Degree{2, 0}, {1, 2}, {0, 4}}) list.add_terms(loss_terms(d, degree), 4);
}

}  // namespace

std::optional<GiNaC::ex> scale_on_line(ScoreDerivatives& derivatives) {
    const Symbols& s = derivatives.symbols();
    const GiNaC::ex per_scale = (derivatives.mean(1, {}) / s.v).normal();
    if (!derivatives.family().uses_scale() || per_scale.has(s.v)) return std::nullopt;
    return (1 / (s.L * per_scale)).normal();
}

std::vector<Constant> constants(ScoreDerivatives& derivatives, const std::vector<int>& orders, bool on_line) {
    List list;
    for (const int order : orders) {
        switch (order) {
            case 1:
                first_order(derivatives, list);
                break;
            case 2:
                second_order(derivatives, list);
                break;
            case 3:
                third_order(derivatives, list);
                break;
            case 4:
                fourth_order(derivatives, list);
                break;
            default:
                throw InvalidInput("order", std::to_string(order), "1, 2, 3 or 4");
        }
    }
    const auto line = on_line ? scale_on_line(derivatives) : std::nullopt;
    if (line)
        for (Constant& constant : list.constants)
            constant.value = constant.value.subs(derivatives.symbols().v == *line).normal();
    return list.constants;
}

const Constant& find_constant(const std::vector<Constant>& list, std::string_view key) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const Constant& c) { return c.key == key; });
    if (found == list.end()) throw InvalidInput("constant", std::string(key), "one of the derived constants");
    return *found;
}

}  // namespace lemmata::symbolic
