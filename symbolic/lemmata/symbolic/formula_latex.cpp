#include <lemmata/symbolic/formula_latex.hpp>

#include <algorithm>
#include <map>

namespace lemmata::symbolic {
namespace {

std::string index_latex(const std::string& index) {
    if (index.front() != 'l' && index.front() != 'h') return index;  // a literal
    const std::size_t primes = std::min(index.find('\''), index.size());
    const std::string number = primes > 1 ? "_" + index.substr(1, primes - 1) : "";
    return (index.front() == 'l' ? "\\ell" : "h") + number + index.substr(primes);
}

std::string symbol_latex(const std::string& name) {
    static const std::map<std::string, std::string> names{
        {"c", "c^{(1)}"},
        {"gb", "\\partial_{b_h}\\tilde{\\mathcal E}"},
        {"gv", "\\partial_v\\tilde{\\mathcal E}"},
        {"Ebb", "\\partial_{\\tilde b}^2\\tilde{\\mathcal E}"},
        {"Ebv", "\\partial_{\\tilde b}\\partial_v\\tilde{\\mathcal E}"},
        {"Evv", "\\partial_v^2\\tilde{\\mathcal E}"},
        {"vline", "v_{\\mathrm{line}}"},
        {"K", "[K_{aaa}]"},
        {"bbb", "[b_ab_ab_b]"},
        {"Mb", "[M_{aa}b_a]"},
        {"RR", "[q_{ab}q_{ab}]"},
        {"RtRt", "[q_{aa}q_{bb}]"},
        {"q_ab", "[q_{ab}]"},
        {"q_aa", "[q_{aa}]"},
        {"M_ab", "[M_{ab}]"},
        {"M_aa", "[M_{aa}]"},
        {"skew", "[u_au_aw_aw_aw_a]"}};
    if (const auto found = names.find(name); found != names.end()) return found->second;
    const char last = name.back();
    const std::string stem = name.substr(0, name.size() - 1);
    if (last >= '1' && last <= '9') {
        if (stem == "c") return std::string("c_") + last + "^{(2)}";
        if (stem == "C") return std::string("c_") + last + "^{(4)}";
        if (stem == "ct") return std::string("\\tilde c_") + last + "^{(4)}";
    }
    return name.size() == 1 ? name : "\\mathrm{" + name + "}";
}

// How tightly an expression holds together; what is looser than its place needs goes in brackets.
enum Level { sum_of_terms, product, factor };

// Unary minus binds tightly in the language: -2*x is (-2) x, and is shown as -2 x.
bool leads_with_minus(const Formula& f) {
    if (f.kind == FormulaKind::negate) return true;
    return (f.kind == FormulaKind::multiply || f.kind == FormulaKind::divide) && leads_with_minus(f.arguments[0]);
}

Level level(const Formula& f) {
    if (leads_with_minus(f)) return sum_of_terms;
    switch (f.kind) {
        case FormulaKind::add:
        case FormulaKind::subtract:
        case FormulaKind::negate:
            return sum_of_terms;
        case FormulaKind::multiply:
        case FormulaKind::sum:
            return product;
        case FormulaKind::divide:  // a fraction, but for what may stand before it
            return level(f.arguments[0]) == product ? product : factor;
        default:
            return factor;
    }
}

std::string within(const Formula& f, Level needed) {
    const std::string text = latex(f);
    return level(f) < needed ? "\\left(" + text + "\\right)" : text;
}

// A sum would swallow what follows it.
bool ends_with_sum(const Formula& f) {
    if (f.kind == FormulaKind::sum) return true;
    return f.kind == FormulaKind::multiply && ends_with_sum(f.arguments[1]);
}

std::string left_factor(const Formula& f) {
    if (leads_with_minus(f)) return latex(f);
    return ends_with_sum(f) ? "\\left(" + latex(f) + "\\right)" : within(f, product);
}

std::string juxtaposed(const std::string& left, const std::string& right) {
    const bool digits = right.front() >= '0' && right.front() <= '9';
    return left + (digits ? "\\cdot " : "\\,") + right;
}

std::string divided(const Formula& a, const Formula& b) {
    const auto& inner = a.arguments;
    if (a.kind == FormulaKind::negate) return "-" + divided(inner[0], b);
    if (a.kind == FormulaKind::multiply)  // x y / z is x times y / z
        return juxtaposed(left_factor(inner[0]), divided(inner[1], b));
    if (a.kind == FormulaKind::divide)  // x / y / z is x / (y z)
        return divided(inner[0], Formula{FormulaKind::multiply, "", {}, {inner[1], b}, a.column});
    return "\\frac{" + latex(a) + "}{" + latex(b) + "}";
}

// Two literals need a comma between them.
std::string pair_latex(const std::string& head, const std::string& token) {
    return index_latex(head) + (token.front() == 'l' ? "" : ",") + index_latex(token);
}

std::string sigma_latex(const Formula& f) {
    std::string derivatives;
    for (std::size_t i = 2; i + 1 < f.indices.size(); i += 2)
        derivatives += "\\partial_{" + pair_latex(f.indices[i], f.indices[i + 1]) + "}";
    return derivatives + "\\sigma_{" + pair_latex(f.indices[0], f.indices[1]) + "}";
}

}  // namespace

std::string latex(const Formula& f) {
    const auto& a = f.arguments;
    switch (f.kind) {
        case FormulaKind::number:
            return f.text;
        case FormulaKind::symbol:
            return symbol_latex(f.text);
        case FormulaKind::add:
            return latex(a[0]) + "+" + (leads_with_minus(a[1]) ? within(a[1], product) : latex(a[1]));
        case FormulaKind::subtract:
            return latex(a[0]) + "-" + within(a[1], product);
        case FormulaKind::negate:
            return "-" + within(a[0], product);
        case FormulaKind::multiply:
            return juxtaposed(left_factor(a[0]), within(a[1], product));
        case FormulaKind::divide:
            return divided(a[0], a[1]);
        case FormulaKind::power: {
            const bool plain =
                a[0].kind == FormulaKind::number || (a[0].kind == FormulaKind::symbol && a[0].text.size() == 1);
            return (plain ? latex(a[0]) : "\\left(" + latex(a[0]) + "\\right)") + "^{" + latex(a[1]) + "}";
        }
        case FormulaKind::call: {
            std::string inside;
            for (const Formula& argument : a) inside += (inside.empty() ? "" : ",") + latex(argument);
            return "\\mathrm{" + f.text + "}\\left(" + inside + "\\right)";
        }
        case FormulaKind::sum: {
            std::string bound;
            for (const std::string& index : f.indices) bound += (bound.empty() ? "" : ",") + index_latex(index);
            return "\\sum_{" + bound + "}" + within(a[0], product);
        }
        case FormulaKind::sigma:
            return sigma_latex(f);
        case FormulaKind::delta:
            return "\\delta_{" + index_latex(f.indices[0]) + "," + index_latex(f.indices[1]) + "}";
    }
    return "";
}

}  // namespace lemmata::symbolic
