// Uses each library once; matrices cross the border in both directions, as this program is
// compiled for a plain processor and the library may not be.
#include <lemmata/loss_monte_carlo.hpp>
#include <lemmata/symbolic/equality.hpp>
#include <lemmata/verify/claim.hpp>

#include <cmath>
#include <iostream>

int main() {
    using namespace lemmata;
    State state = state_at(Eigen::MatrixXd::Constant(3, 2, 0.5));
    MonteCarloOptions options;
    options.gradient = true;
    const LossEstimate loss = loss_monte_carlo({Activation::softmax, 4, Prior::flipping_spike(2, 2)}, state, options);
    state = loss.gradient->value;
    const GiNaC::symbol x("x");
    const bool equal = symbolic::equal((x * x - 1) / (x - 1), x + 1).truth == symbolic::Truth::yes;
    std::cout << "loss " << loss.loss.value << ", " << verify::all_claims().size() << " claims\n";
    return loss.loss.value > 0.2 && loss.loss.value < 0.8 && equal && std::isfinite(state.m.sum()) ? 0 : 1;
}
