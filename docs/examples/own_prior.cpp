// My own prior: the population loss of two heads, and the smallest loss anything could have.
#include <lemmata/bayes_risk.hpp>
#include <lemmata/loss_exact.hpp>

#include <cstdio>

int main() {
    using namespace lemmata;
    // A broad component and an atom, in two dimensions.
    Component broad{0.7, Eigen::Vector2d(0.9, -0.4), Eigen::Vector2d(3, 1).asDiagonal()};
    Component atom{0.3, Eigen::Vector2d(-1.2, 2.5), Eigen::Matrix2d::Zero()};
    const Prior prior = Prior::mixture({broad, atom});

    Eigen::MatrixXd m(2, 2);  // a head for each component
    m << 1.5, -0.3, -0.8, 1.6;
    for (const std::int64_t tokens : {std::int64_t{5}, std::int64_t{1'000'000}}) {
        const LossEstimate loss = loss_exact({Activation::softmax, tokens, prior}, state_at(m), {1e-9, true});
        const RiskEstimate bayes = bayes_risk(prior, tokens);
        std::printf("L = %-8ld loss %.9f, Bayes risk %.9f, d loss / d m_11 = %+.6f\n", static_cast<long>(tokens),
                    loss.loss.value, bayes.risk.value, loss.gradient->value.m(0, 0));
    }
}
