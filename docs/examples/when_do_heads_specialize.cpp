// When do heads specialize? The times of the two phases against the strength of the second feature.
#include <lemmata/events.hpp>
#include <lemmata/flow.hpp>
#include <lemmata/loss_exact.hpp>

#include <cstdio>

int main() {
    using namespace lemmata;
    std::printf(" nu2   tau_u    tau_s    end\n");
    for (const double nu2 : {1.0, 2.0, 4.0, 8.0}) {
        const Problem problem{Activation::softmax, 4, Prior::flipping_spike(2, nu2)};
        const LossFunction loss = [&](const State& state) { return loss_exact(problem, state, {1e-9, true}); };
        FlowOptions options;
        options.until = 400;
        const FlowResult result = flow(loss, random_state(2, 2, 1, 0.01, 1), options);
        const Events events = find_events(result.path, problem.prior.mean());
        std::printf("%4.1f  %6.3f  %7.3f  loss %.6f\n", nu2, events.tau_u.value(), events.tau_s.value(),
                    result.path.knots.back().loss.value);
    }
}
