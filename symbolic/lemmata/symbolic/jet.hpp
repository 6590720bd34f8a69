// Mixed derivatives without differentiation: multilinear jets.
//
// To find d^n f / dy_1 ... dy_n at a point, move along y_1, ..., y_n by nilpotent amounts e_1, ...,
// e_n (e_i^2 = 0) and read off the coefficient of e_1 ... e_n. A jet holds the 2^n coefficients of
// such a number, indexed by the set (bit mask) of the e_i present. A direction may occur more than
// once: d^2/dy^2 takes e_1 and e_2 along the same y. Products are convolutions over subsets;
// functions follow from their partial derivatives by Faa di Bruno's formula, a sum over set
// partitions. Exact; coefficients are kept expanded and not normalised.
#pragma once

#include <ginac/ginac.h>

#include <functional>
#include <vector>

namespace lemmata::symbolic {

class Jet {
public:
    // The constant `value`, for n directions.
    Jet(const GiNaC::ex& value, int n) : coefficients_(std::size_t(1) << n) { coefficients_[0] = value; }

    GiNaC::ex& operator[](std::size_t set) { return coefficients_[set]; }
    const GiNaC::ex& operator[](std::size_t set) const { return coefficients_[set]; }
    [[nodiscard]] std::size_t size() const { return coefficients_.size(); }
    // The mixed derivative along all directions.
    [[nodiscard]] const GiNaC::ex& top() const { return coefficients_.back(); }

    Jet& operator+=(const Jet& other);
    friend Jet operator*(const Jet& a, const Jet& b);
    friend Jet operator*(const GiNaC::ex& factor, Jet a);

private:
    std::vector<GiNaC::ex> coefficients_;
};

// f(a_0, a_1, ...), where partial({k, l, ...}) is d^{n}f / dy_k dy_l ... at the values of the
// arguments; its list of arguments is sorted, and empty for f itself.
Jet compose(const std::function<GiNaC::ex(const std::vector<int>&)>& partial, const std::vector<Jet>& arguments);

}  // namespace lemmata::symbolic
