#include <lemmata/symbolic/mutants.hpp>

#include <algorithm>

namespace lemmata::symbolic {
namespace {

Formula number(const std::string& digits) {
    return {FormulaKind::number, digits, {}, {}, 1};
}

class Mutator {
public:
    explicit Mutator(const Formula& original) : original_(original) {}

    std::vector<Mutant> all() {
        Formula copy = original_;
        visit(copy, copy, {});
        return std::move(found_);
    }

private:
    const Formula& original_;
    std::vector<Mutant> found_;

    void emit(const std::string& kind, const Formula& whole) {
        const bool known =
            std::any_of(found_.begin(), found_.end(), [&](const Mutant& m) { return m.formula == whole; });
        if (!known && !(whole == original_)) found_.push_back({kind, whole});
    }

    // `node` is a part of `whole`: it is changed, the whole is kept, and it is changed back.
    void replace(const std::string& kind, Formula& whole, Formula& node, Formula changed) {
        std::swap(node, changed);
        emit(kind, whole);
        std::swap(node, changed);
    }

    void visit(Formula& whole, Formula& node, std::vector<std::string> scope) {
        const Formula before = node;
        switch (node.kind) {
            case FormulaKind::add:
            case FormulaKind::subtract: {
                Formula flipped = before;
                flipped.kind = node.kind == FormulaKind::add ? FormulaKind::subtract : FormulaKind::add;
                replace("sign", whole, node, flipped);
                break;
            }
            case FormulaKind::negate:
                replace("sign", whole, node, before.arguments[0]);
                break;
            case FormulaKind::number: {
                const int n =
                    before.text.size() < 6 && before.text.find('.') == std::string::npos ? std::stoi(before.text) : 0;
                replace("number", whole, node, number(std::to_string(n + 1)));
                break;
            }
            case FormulaKind::symbol:
                replace("symbol", whole, node, {FormulaKind::subtract, {}, {}, {before, number("1")}, 1});
                replace("factor", whole, node, {FormulaKind::multiply, {}, {}, {number("2"), before}, 1});
                break;
            case FormulaKind::call:
            case FormulaKind::sum:
            case FormulaKind::sigma:
            case FormulaKind::delta:
            case FormulaKind::power:
                replace("factor", whole, node, {FormulaKind::multiply, {}, {}, {number("2"), before}, 1});
                break;
            case FormulaKind::multiply:
            case FormulaKind::divide:
                break;
        }
        if (&whole == &node) replace("sign", whole, node, {FormulaKind::negate, {}, {}, {before}, 1});
        if (node.kind == FormulaKind::sigma || node.kind == FormulaKind::delta) indices(whole, node, scope);
        if (node.kind == FormulaKind::sum) scope.insert(scope.end(), node.indices.begin(), node.indices.end());
        // The exponent of a power is a number like any other; -1 there would be a division.
        for (Formula& argument : node.arguments) visit(whole, argument, scope);
    }

    void indices(Formula& whole, Formula& node, const std::vector<std::string>& scope) {
        for (std::size_t i = 0; i < node.indices.size(); ++i) {
            const bool head = node.kind == FormulaKind::sigma && i % 2 == 0;
            std::vector<std::string> candidates{"1"};
            for (const std::string& name : scope)
                if ((name.front() == 'h') == head) candidates.push_back(name);
            for (const std::string& candidate : candidates) {
                Formula changed = node;
                changed.indices[i] = candidate;
                replace("index", whole, node, changed);
            }
        }
    }
};

}  // namespace

std::vector<Mutant> mutants(const Formula& formula) {
    return Mutator(formula).all();
}

}  // namespace lemmata::symbolic
