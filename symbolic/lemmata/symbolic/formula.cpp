#include <lemmata/error.hpp>
#include <lemmata/symbolic/formula.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace lemmata::symbolic {
namespace {

// A chain of n additions is a tree of depth n, so the length bounds every recursion as well.
constexpr std::size_t longest = 2048;
constexpr int deepest = 64;
constexpr int largest_exponent = 64;

using Function = GiNaC::ex (*)(const GiNaC::ex&);
struct NamedFunction {
    std::string_view name;
    Function function;
};
constexpr std::array functions{NamedFunction{"exp", [](const GiNaC::ex& e) -> GiNaC::ex { return GiNaC::exp(e); }},
                               NamedFunction{"log", [](const GiNaC::ex& e) -> GiNaC::ex { return GiNaC::log(e); }},
                               NamedFunction{"sqrt", [](const GiNaC::ex& e) -> GiNaC::ex { return GiNaC::sqrt(e); }},
                               NamedFunction{"tanh", [](const GiNaC::ex& e) -> GiNaC::ex { return GiNaC::tanh(e); }},
                               NamedFunction{"sinh", [](const GiNaC::ex& e) -> GiNaC::ex { return GiNaC::sinh(e); }},
                               NamedFunction{"cosh", [](const GiNaC::ex& e) -> GiNaC::ex { return GiNaC::cosh(e); }},
                               NamedFunction{"atan", [](const GiNaC::ex& e) -> GiNaC::ex { return GiNaC::atan(e); }}};

const NamedFunction* find_function(std::string_view name) {
    const auto* found = std::find_if(functions.begin(), functions.end(), [&](const auto& f) { return f.name == name; });
    return found == functions.end() ? nullptr : found;
}

[[noreturn]] void refuse(const std::string& field, std::size_t column, const std::string& what,
                         const std::string& expected) {
    throw InvalidInput(field, what + " at column " + std::to_string(column), expected);
}

class Parser {
public:
    Parser(std::string_view text, const std::string& field) : text_(text), field_(field) {}

    Formula whole() {
        Formula result = expression();
        if (!at_end()) refuse(found(), "an operator or the end");
        return result;
    }

private:
    std::string_view text_;
    const std::string& field_;
    std::size_t next_ = 0;
    int depth_ = 0;

    void skip_blanks() {
        while (next_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[next_])) != 0) ++next_;
    }
    bool at_end() {
        skip_blanks();
        return next_ == text_.size();
    }
    char peek() { return at_end() ? '\0' : text_[next_]; }
    bool accept(char c) {
        if (peek() != c) return false;
        ++next_;
        return true;
    }
    void require(char c) {
        if (!accept(c)) refuse(found(), std::string("'") + c + "'");
    }
    std::string found() {
        if (at_end()) return "the end";
        const auto c = static_cast<unsigned char>(text_[next_]);
        return std::isprint(c) != 0 ? std::string("'") + static_cast<char>(c) + "'" : "an unprintable character";
    }
    [[noreturn]] void refuse(const std::string& what, const std::string& expected) {
        symbolic::refuse(field_, next_ + 1, what, expected);
    }

    Formula node(FormulaKind kind, std::size_t column, std::vector<Formula> arguments) {
        return {kind, {}, {}, std::move(arguments), column};
    }

    Formula expression() {
        // Every recursion of this parser passes here or through unary().
        const Nesting nesting(*this);
        Formula left = term();
        for (;;) {
            const std::size_t column = next_ + 1;
            if (accept('+'))
                left = node(FormulaKind::add, column, {std::move(left), term()});
            else if (accept('-'))
                left = node(FormulaKind::subtract, column, {std::move(left), term()});
            else
                return left;
        }
    }
    Formula term() {
        Formula left = unary();
        for (;;) {
            skip_blanks();
            const std::size_t column = next_ + 1;
            if (accept('*'))
                left = node(FormulaKind::multiply, column, {std::move(left), unary()});
            else if (accept('/'))
                left = node(FormulaKind::divide, column, {std::move(left), unary()});
            else
                return left;
        }
    }
    Formula unary() {
        const Nesting nesting(*this);
        skip_blanks();
        const std::size_t column = next_ + 1;
        if (accept('-')) return node(FormulaKind::negate, column, {unary()});
        Formula base = atom();
        skip_blanks();
        const std::size_t caret = next_ + 1;
        if (!accept('^')) return base;
        return node(FormulaKind::power, caret, {std::move(base), unary()});
    }
    Formula atom() {
        const char c = peek();
        const std::size_t column = next_ + 1;
        if (accept('(')) {
            Formula inside = expression();
            require(')');
            return inside;
        }
        if (std::isdigit(static_cast<unsigned char>(c)) != 0) return {FormulaKind::number, number(), {}, {}, column};
        if (std::isalpha(static_cast<unsigned char>(c)) == 0) refuse(found(), "a number, a name or '('");
        std::string word = name();
        if (!accept('(')) return {FormulaKind::symbol, std::move(word), {}, {}, column};
        Formula result;
        if (word == "sum")
            result = sum();
        else if (word == "s")
            result = sigma();
        else if (word == "delta")
            result = delta();
        else
            result = {FormulaKind::call, std::move(word), {}, {expression()}, 0};
        require(')');
        result.column = column;
        return result;
    }
    Formula sum() {
        std::vector<std::string> bound{index_name()};
        while (accept(',')) bound.push_back(index_name());
        require(';');
        return {FormulaKind::sum, {}, std::move(bound), {expression()}, 0};
    }
    Formula sigma() {
        std::vector<std::string> indices{index()};
        require(',');
        indices.push_back(index());
        if (accept(';')) {
            do {
                indices.push_back(index());
                indices.push_back(index());
            } while (accept(','));
        }
        return {FormulaKind::sigma, {}, std::move(indices), {}, 0};
    }
    Formula delta() {
        std::string first = index();
        require(',');
        return {FormulaKind::delta, {}, {std::move(first), index()}, {}, 0};
    }

    std::string name() {
        const std::size_t begin = next_;
        while (next_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[next_])) != 0 || text_[next_] == '_'))
            ++next_;
        while (next_ < text_.size() && text_[next_] == '\'') ++next_;
        return std::string(text_.substr(begin, next_ - begin));
    }
    std::string number() {
        const std::size_t begin = next_;
        const auto digits = [&] {
            while (next_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[next_])) != 0) ++next_;
        };
        digits();
        if (next_ + 1 < text_.size() && text_[next_] == '.' &&
            std::isdigit(static_cast<unsigned char>(text_[next_ + 1])) != 0) {
            ++next_;
            digits();
        }
        return std::string(text_.substr(begin, next_ - begin));
    }
    std::string index_name() {
        const char c = peek();
        if (c != 'h' && c != 'l') refuse(found(), "an index (h... or l...)");
        return name();
    }
    std::string index() { return std::isdigit(static_cast<unsigned char>(peek())) != 0 ? number() : index_name(); }

    struct Nesting {
        explicit Nesting(Parser& p) : parser(p) {
            if (++parser.depth_ > deepest)
                parser.refuse("nesting deeper than " + std::to_string(deepest), "a shallower formula");
        }
        ~Nesting() { --parser.depth_; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;
        Parser& parser;
    };
};

// Decimal digits with an optional fraction, exactly.
GiNaC::numeric exact_number(const std::string& digits) {
    const std::size_t point = digits.find('.');
    if (point == std::string::npos) return GiNaC::numeric(digits.c_str());
    const std::string whole = digits.substr(0, point) + digits.substr(point + 1);
    return GiNaC::numeric(whole.c_str()) / GiNaC::numeric(10).power(GiNaC::numeric(digits.size() - point - 1));
}

bool is_literal(const std::string& index) {
    return std::isdigit(static_cast<unsigned char>(index.front())) != 0;
}

class Evaluator {
public:
    explicit Evaluator(const FormulaContext& context) : context_(context) {}

    GiNaC::ex value(const Formula& f) {
        switch (f.kind) {
            case FormulaKind::number:
                return exact_number(f.text);
            case FormulaKind::symbol:
                return symbol(f);
            case FormulaKind::add:
                return value(f.arguments[0]) + value(f.arguments[1]);
            case FormulaKind::subtract:
                return value(f.arguments[0]) - value(f.arguments[1]);
            case FormulaKind::multiply:
                return value(f.arguments[0]) * value(f.arguments[1]);
            case FormulaKind::divide:
                return quotient(f);
            case FormulaKind::power:
                return power(f);
            case FormulaKind::negate:
                return -value(f.arguments[0]);
            case FormulaKind::call:
                return call(f);
            case FormulaKind::sum:
                return sum(f, 0);
            case FormulaKind::sigma:
                return sigma(f);
            case FormulaKind::delta:
                return index(f.indices[0], f.column) == index(f.indices[1], f.column) ? 1 : 0;
        }
        throw InvalidInput(context_.field, "an unknown kind of node", "a parsed formula");
    }

    // Literal indices name members of the index sets too: they must be known before any sum.
    void know_literals(const Formula& f) {
        for (std::size_t i = 0; i < f.indices.size(); ++i) {
            if (!is_literal(f.indices[i])) continue;
            const bool head = f.kind == FormulaKind::sigma ? i % 2 == 0 : f.indices[1 - i].front() == 'h';
            int& known = head ? heads_ : tokens_;
            known = std::max(known, std::stoi(f.indices[i]));
        }
        for (const Formula& argument : f.arguments) know_literals(argument);
    }

private:
    const FormulaContext& context_;
    std::map<std::string, int> bound_;
    int tokens_ = 0, heads_ = 0;  // known members of the index sets

    GiNaC::ex symbol(const Formula& f) {
        const auto found = context_.symbols.find(f.text);
        if (found != context_.symbols.end()) return found->second;
        std::string names;
        for (const auto& [name, unused] : context_.symbols) names += (names.empty() ? "" : ", ") + name;
        refuse(context_.field, f.column, "unknown symbol \"" + f.text + "\"",
               names.empty() ? "a number" : "one of " + names);
    }
    GiNaC::ex quotient(const Formula& f) {
        const GiNaC::ex denominator = value(f.arguments[1]);
        if (denominator.normal().is_zero())
            refuse(context_.field, f.column, "division by zero", "a denominator that is not zero");
        return value(f.arguments[0]) / denominator;
    }
    GiNaC::ex power(const Formula& f) {
        const GiNaC::ex exponent = value(f.arguments[1]);
        const bool fine = GiNaC::is_a<GiNaC::numeric>(exponent) && exponent.info(GiNaC::info_flags::integer) &&
                          GiNaC::abs(GiNaC::ex_to<GiNaC::numeric>(exponent)) <= GiNaC::numeric(largest_exponent);
        if (!fine)
            refuse(
                context_.field, f.arguments[1].column, "the exponent",
                "an integer between -" + std::to_string(largest_exponent) + " and " + std::to_string(largest_exponent));
        const GiNaC::ex base = value(f.arguments[0]);
        if (base.normal().is_zero() && exponent.info(GiNaC::info_flags::negative))
            refuse(context_.field, f.column, "division by zero", "a denominator that is not zero");
        return GiNaC::pow(base, exponent);
    }
    GiNaC::ex call(const Formula& f) {
        const NamedFunction* function = find_function(f.text);
        if (function == nullptr) {
            std::string names;
            for (const auto& known : functions) names += (names.empty() ? "" : ", ") + std::string(known.name);
            refuse(context_.field, f.column, "unknown function \"" + f.text + "\"", "one of " + names);
        }
        try {
            return function->function(value(f.arguments[0]));
        } catch (const GiNaC::pole_error&) {
            refuse(context_.field, f.column, "a pole of " + f.text, "an argument inside its domain");
        }
    }
    GiNaC::ex sigma(const Formula& f) {
        if (!context_.sigma) refuse(context_.field, f.column, "sigma", "no activation here");
        std::vector<int> indices;
        for (const std::string& name : f.indices) indices.push_back(index(name, f.column));
        return context_.sigma(indices);
    }
    int index(const std::string& name, std::size_t column) {
        if (is_literal(name)) return std::stoi(name);
        const auto found = bound_.find(name);
        if (found == bound_.end()) refuse(context_.field, column, "index " + name + " is not bound", "a sum over it");
        return found->second;
    }
    GiNaC::ex sum(const Formula& f, std::size_t which) {
        if (which == f.indices.size()) return value(f.arguments[0]);
        const std::string& name = f.indices[which];
        const bool over_heads = name.front() == 'h';
        int& known = over_heads ? heads_ : tokens_;
        const GiNaC::ex size = over_heads ? context_.heads : context_.tokens;
        const auto shadowed = bound_.find(name);
        const int outer = shadowed == bound_.end() ? 0 : shadowed->second;
        const int members = known;
        GiNaC::ex total = 0;
        for (int i = 1; i <= members; ++i) {
            bound_[name] = i;
            total += sum(f, which + 1);
        }
        bound_[name] = ++known;
        total += (size - members) * sum(f, which + 1);
        --known;
        if (outer == 0)
            bound_.erase(name);
        else
            bound_[name] = outer;
        return total;
    }
};

int precedence(FormulaKind kind) {
    switch (kind) {
        case FormulaKind::add:
        case FormulaKind::subtract:
            return 1;
        case FormulaKind::negate:
            return 2;
        case FormulaKind::multiply:
        case FormulaKind::divide:
            return 3;
        case FormulaKind::power:
            return 4;
        default:
            return 5;
    }
}

std::string bracketed(const Formula& f, int at_least) {
    return precedence(f.kind) >= at_least ? text(f) : std::string("(").append(text(f)).append(")");
}

std::string joined(const std::vector<std::string>& words, std::size_t begin, const std::string& separator) {
    std::string result;
    for (std::size_t i = begin; i < words.size(); ++i) result += (i == begin ? "" : separator) + words[i];
    return result;
}

}  // namespace

bool Formula::operator==(const Formula& other) const {
    return kind == other.kind && text == other.text && indices == other.indices && arguments == other.arguments;
}

Formula parse_formula(std::string_view text, const std::string& field) {
    if (text.size() > longest)
        throw InvalidInput(
            field, std::to_string(text.size()) + " characters",
            "at most " + std::to_string(longest) + " (column " + std::to_string(longest + 1) + " is past that)");
    return Parser(text, field).whole();
}

std::string text(const Formula& f) {
    const auto binary = [&](const char* sign, int left, int right) {
        return bracketed(f.arguments[0], left) + sign + bracketed(f.arguments[1], right);
    };
    switch (f.kind) {
        case FormulaKind::number:
        case FormulaKind::symbol:
            return f.text;
        case FormulaKind::add:
            return binary(" + ", 1, 2);
        case FormulaKind::subtract:
            return binary(" - ", 1, 2);
        case FormulaKind::multiply:
            return binary("*", 3, 4);
        case FormulaKind::divide:
            return binary("/", 3, 4);
        case FormulaKind::power:
            return binary("^", 5, 4);
        case FormulaKind::negate:
            return std::string("-").append(bracketed(f.arguments[0], 3));
        case FormulaKind::call:
            return f.text + "(" + text(f.arguments[0]) + ")";
        case FormulaKind::sum:
            return "sum(" + joined(f.indices, 0, ", ") + "; " + text(f.arguments[0]) + ")";
        case FormulaKind::delta:
            return "delta(" + joined(f.indices, 0, ", ") + ")";
        case FormulaKind::sigma: {
            std::string result = "s(" + f.indices[0] + ", " + f.indices[1];
            for (std::size_t i = 2; i + 1 < f.indices.size(); i += 2)
                result += (i == 2 ? "; " : ", ") + f.indices[i] + " " + f.indices[i + 1];
            return result + ")";
        }
    }
    return {};
}

GiNaC::ex evaluate(const Formula& formula, const FormulaContext& context) {
    Evaluator evaluator(context);
    evaluator.know_literals(formula);
    return evaluator.value(formula);
}

}  // namespace lemmata::symbolic
