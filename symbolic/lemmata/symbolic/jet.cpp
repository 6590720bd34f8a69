#include <lemmata/symbolic/jet.hpp>

#include <algorithm>

namespace lemmata::symbolic {
namespace {

// The sum over partitions of the set `remaining` into blocks, each given to one argument. The
// block of the lowest element is chosen first, so each partition is met once.
GiNaC::ex faa_di_bruno(const std::function<GiNaC::ex(const std::vector<int>&)>& partial,
                       const std::vector<Jet>& arguments, std::size_t remaining, const GiNaC::ex& product,
                       std::vector<int>& chosen) {
    if (remaining == 0) {
        std::vector<int> sorted = chosen;
        std::sort(sorted.begin(), sorted.end());
        return product * partial(sorted);
    }
    const std::size_t lowest = remaining & (~remaining + 1);
    const std::size_t others = remaining & ~lowest;
    GiNaC::ex total = 0;
    for (std::size_t extra = others;; extra = (extra - 1) & others) {
        const std::size_t block = lowest | extra;
        for (std::size_t k = 0; k < arguments.size(); ++k) {
            if (arguments[k][block].is_zero()) continue;
            chosen.push_back(int(k));
            total += faa_di_bruno(partial, arguments, remaining & ~block, product * arguments[k][block], chosen);
            chosen.pop_back();
        }
        if (extra == 0) break;
    }
    return total;
}

}  // namespace

Jet& Jet::operator+=(const Jet& other) {
    for (std::size_t set = 0; set < size(); ++set) coefficients_[set] = (coefficients_[set] + other[set]).expand();
    return *this;
}

Jet operator*(const Jet& a, const Jet& b) {
    Jet result = a;
    for (std::size_t set = 0; set < a.size(); ++set) {
        GiNaC::ex total = 0;
        for (std::size_t part = set;; part = (part - 1) & set) {
            if (!a[part].is_zero() && !b[set & ~part].is_zero()) total += a[part] * b[set & ~part];
            if (part == 0) break;
        }
        result[set] = total.expand();
    }
    return result;
}

Jet operator*(const GiNaC::ex& factor, Jet a) {
    for (GiNaC::ex& coefficient : a.coefficients_) coefficient = (factor * coefficient).expand();
    return a;
}

Jet compose(const std::function<GiNaC::ex(const std::vector<int>&)>& partial, const std::vector<Jet>& arguments) {
    Jet result = arguments.front();
    std::vector<int> chosen;
    for (std::size_t set = 0; set < result.size(); ++set)
        result[set] = faa_di_bruno(partial, arguments, set, 1, chosen).expand();
    return result;
}

}  // namespace lemmata::symbolic
