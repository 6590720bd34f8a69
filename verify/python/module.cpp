// The Python module: a thin face of the library. Documentation for users is in lemmata/__init__.py
// and __init__.pyi; here are only names, conversions, and where Python may run meanwhile.
#include <lemmata/bayes_risk.hpp>
#include <lemmata/error.hpp>
#include <lemmata/events.hpp>
#include <lemmata/flow.hpp>
#include <lemmata/hessian.hpp>
#include <lemmata/loss_exact.hpp>
#include <lemmata/loss_gauss_hermite.hpp>
#include <lemmata/loss_monte_carlo.hpp>
#include <lemmata/polish.hpp>
#include <lemmata/verify/constants_query.hpp>
#include <lemmata/verify/ledger.hpp>
#include <lemmata/verify/scenario.hpp>

#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace lemmata;

namespace {

using Matrix = Eigen::Ref<const Eigen::MatrixXd>;
using Vector = Eigen::Ref<const Eigen::VectorXd>;
using Unlocked = py::call_guard<py::gil_scoped_release>;

State make_state(const Eigen::MatrixXd& m, const std::optional<Eigen::MatrixXd>& r,
                 const std::optional<Eigen::VectorXd>& b, double v) {
    State state = state_at(m);
    if (r) state.r = *r;
    if (b) state.b = *b;
    state.v = v;
    return state;
}

Prior make_mixture(const std::vector<double>& weights, const std::vector<Eigen::VectorXd>& means,
                   const std::optional<std::vector<Eigen::MatrixXd>>& covariances) {
    if (means.size() != weights.size() || (covariances && covariances->size() != weights.size()))
        throw InvalidInput("mixture", "lists of different lengths", "a weight, a mean and a covariance for each");
    std::vector<Component> components;
    for (std::size_t k = 0; k < weights.size(); ++k)
        components.push_back(
            {weights[k], means[k],
             covariances ? (*covariances)[k] : Eigen::MatrixXd::Zero(means[k].size(), means[k].size())});
    return Prior::mixture(std::move(components));
}

LossEstimate loss(const Problem& problem, const State& state, const std::string& method, double tolerance, int nodes,
                  std::int64_t samples, std::uint64_t seed, bool gradient) {
    if (method == "exact") return loss_exact(problem, state, {tolerance, gradient});
    if (method == "gauss-hermite") return loss_gauss_hermite(problem, state, nodes, gradient);
    if (method == "monte-carlo") {
        MonteCarloOptions options;
        options.samples = samples;
        options.seed = seed;
        options.gradient = gradient;
        return loss_monte_carlo(problem, state, options);
    }
    throw InvalidInput("method", method, "exact, gauss-hermite or monte-carlo");
}

// Whether Ctrl-C was pressed, asked from a call that has let go of the interpreter.
bool interrupted() {
    const py::gil_scoped_acquire lock;
    return PyErr_CheckSignals() != 0;
}

struct Course {
    FlowResult result;
    Eigen::VectorXd mean_theta;

    [[nodiscard]] Eigen::VectorXd tau() const {
        Eigen::VectorXd times(static_cast<Eigen::Index>(result.path.knots.size()));
        for (Eigen::Index i = 0; i < times.size(); ++i) times[i] = result.path.knots[static_cast<std::size_t>(i)].tau;
        return times;
    }
    [[nodiscard]] Eigen::VectorXd loss() const {
        Eigen::VectorXd values(static_cast<Eigen::Index>(result.path.knots.size()));
        for (Eigen::Index i = 0; i < values.size(); ++i)
            values[i] = result.path.knots[static_cast<std::size_t>(i)].loss.value;
        return values;
    }
    // (times, H, F)
    [[nodiscard]] py::array_t<double> m(const std::vector<double>& times) const {
        const py::ssize_t heads = result.path.heads, features = result.path.features;
        py::array_t<double> values({static_cast<py::ssize_t>(times.size()), heads, features});
        auto entry = values.mutable_unchecked<3>();
        for (py::ssize_t i = 0; i < entry.shape(0); ++i) {
            const State state = interpolate(result.path, times[static_cast<std::size_t>(i)]);
            for (py::ssize_t h = 0; h < heads; ++h)
                for (py::ssize_t f = 0; f < features; ++f) entry(i, h, f) = state.m(h, f);
        }
        return values;
    }
};

Course run_flow(const Problem& problem, const State& start, double until, double tolerance, double converged,
                bool symmetric) {
    FlowOptions options;
    options.until = until;
    options.tolerance = tolerance;
    options.converged = converged;
    options.root = symmetric ? Root::symmetric : Root::factor;
    options.progress = [](const FlowProgress&) { return !interrupted(); };
    validate(problem, start);
    const LossFunction loss = [&](const State& state) { return loss_exact(problem, state, {1e-9, true}); };
    FlowResult result = flow(loss, start, options);
    if (result.stopped == Stop::interrupted) {
        const py::gil_scoped_acquire lock;
        throw py::error_already_set();
    }
    return {std::move(result), problem.prior.mean()};
}

Polished run_polish(const Problem& problem, const State& start, int max_iterations) {
    PolishOptions options;
    options.max_iterations = max_iterations;
    return polish([&](const State& state) { return loss_exact(problem, state, {1e-9, true}); }, start, options);
}

std::string verify_as_json(const std::vector<std::string>& ids, const std::string& tier, std::uint64_t seed) {
    const verify::Context context{verify::tier_from_name(tier), seed, [] {
                                      const py::gil_scoped_acquire lock;
                                      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
                                  }};
    return to_json(verify::run_checks(ids, context)).dump();
}

std::string shape(const Eigen::MatrixXd& matrix) {
    return std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols());
}

}  // namespace

PYBIND11_MODULE(_lemmata, module) {
    module.attr("__version__") = LEMMATA_VERSION;
    py::register_exception<Unfinished>(module, "Unfinished", PyExc_RuntimeError);

    py::class_<Estimate>(module, "Estimate")
        .def_readonly("value", &Estimate::value)
        .def_readonly("error", &Estimate::error)
        .def_property_readonly("error_kind",
                               [](const Estimate& e) { return e.kind == ErrorKind::bound ? "bound" : "standard"; })
        .def("__float__", [](const Estimate& e) { return e.value; })
        .def("__repr__", [](const Estimate& e) {
            return py::str("Estimate({!r} +- {:.2g}, {})")
                .format(e.value, e.error, e.kind == ErrorKind::bound ? "bound" : "standard");
        });

    py::class_<Prior>(module, "Prior")
        .def_static(
            "gaussian", [](const Vector& variances) { return Prior::gaussian(variances); }, py::arg("variances"))
        .def_static("flipping_spike", &Prior::flipping_spike, py::arg("nu1"), py::arg("nu2"))
        .def_static("spikes", &Prior::spikes, py::arg("features"), py::arg("strength"))
        .def_static("spike", &Prior::spike, py::arg("strength"))
        .def_static("mixture", &make_mixture, py::arg("weights"), py::arg("means"), py::arg("covariances") = py::none())
        .def_property_readonly("features", &Prior::features)
        .def_property_readonly("mean", &Prior::mean)
        .def_property_readonly("covariance", &Prior::covariance)
        .def_property_readonly("discrete", &Prior::discrete)
        .def_property_readonly("symmetric", &Prior::symmetric)
        .def("__repr__", [](const Prior& prior) {
            return py::str("Prior({} features, {} components)").format(prior.features(), prior.components().size());
        });

    py::class_<State>(module, "State")
        .def(py::init(&make_state), py::arg("m"), py::arg("r") = py::none(), py::arg("b") = py::none(),
             py::arg("v") = 1.0)
        .def_static("random", &random_state, py::arg("heads"), py::arg("features"), py::arg("eta") = 1.0,
                    py::arg("noise") = 0.01, py::arg("seed") = 1)
        .def_property(
            "m", [](State& s) -> Eigen::MatrixXd& { return s.m; }, [](State& s, const Eigen::MatrixXd& m) { s.m = m; })
        .def_property(
            "r", [](State& s) -> Eigen::MatrixXd& { return s.r; }, [](State& s, const Eigen::MatrixXd& r) { s.r = r; })
        .def_property(
            "b", [](State& s) -> Eigen::VectorXd& { return s.b; }, [](State& s, const Eigen::VectorXd& b) { s.b = b; })
        .def_readwrite("v", &State::v)
        .def_property_readonly("heads", &State::heads)
        .def_property_readonly("features", &State::features)
        .def("__repr__", [](const State& state) { return py::str("State(m: {})").format(shape(state.m)); });

    py::class_<Problem>(module, "Problem")
        .def(py::init([](const std::string& activation, std::int64_t tokens, const Prior& prior) {
                 Problem problem{activation_from_name(activation), tokens, prior};
                 validate(problem, zero_state(1, prior.features()));
                 return problem;
             }),
             py::arg("activation"), py::arg("tokens"), py::arg("prior"))
        .def_property_readonly("activation", [](const Problem& p) { return std::string(name(p.activation)); })
        .def_readonly("tokens", &Problem::tokens)
        .def_readonly("prior", &Problem::prior)
        .def("__repr__", [](const Problem& p) {
            return py::str("Problem({!r}, tokens={}, prior={!r})")
                .format(std::string(name(p.activation)), p.tokens, p.prior);
        });

    py::class_<LossEstimate>(module, "Loss")
        .def_property_readonly("value", [](const LossEstimate& l) { return l.loss.value; })
        .def_property_readonly("error", [](const LossEstimate& l) { return l.loss.error; })
        .def_readonly("estimate", &LossEstimate::loss)
        .def_readonly("method", &LossEstimate::method)
        .def_property_readonly(
            "gradient",
            [](const LossEstimate& l) -> const Gradient* { return l.gradient ? &l.gradient->value : nullptr; },
            py::return_value_policy::reference_internal)
        .def_property_readonly(
            "gradient_error",
            [](const LossEstimate& l) -> const Gradient* { return l.gradient ? &l.gradient->error : nullptr; },
            py::return_value_policy::reference_internal)
        .def("__float__", [](const LossEstimate& l) { return l.loss.value; })
        .def("__repr__", [](const LossEstimate& l) {
            return py::str("Loss({!r} +- {:.2g}, {})").format(l.loss.value, l.loss.error, l.method);
        });

    module.def("loss", &loss, py::arg("problem"), py::arg("state"), py::arg("method") = "exact", py::kw_only(),
               py::arg("tolerance") = 1e-9, py::arg("nodes") = 32, py::arg("samples") = 100'000, py::arg("seed") = 1,
               py::arg("gradient") = false, Unlocked());
    module.def(
        "hessian", [](const Problem& problem, const State& state) { return hessian(problem, state).value; },
        py::arg("problem"), py::arg("state"), Unlocked());
    module.def(
        "bayes_risk",
        [](const Prior& prior, std::int64_t tokens, double tolerance, std::uint64_t seed) {
            RiskOptions options;
            options.tolerance = tolerance;
            options.seed = seed;
            return bayes_risk(prior, tokens, options).risk;
        },
        py::arg("prior"), py::arg("tokens"), py::kw_only(), py::arg("tolerance") = 1e-10, py::arg("seed") = 1,
        Unlocked());

    py::class_<Events>(module, "Events")
        .def_readonly("tau_u", &Events::tau_u)
        .def_readonly("tau_s", &Events::tau_s)
        .def_readonly("tau_u_start", &Events::tau_u_start)
        .def_readonly("tau_s_start", &Events::tau_s_start)
        .def_readonly("learning", &Events::learning);
    py::class_<Course>(module, "Flow")
        .def_property_readonly("tau", &Course::tau)
        .def_property_readonly("loss", &Course::loss)
        .def_property_readonly("m",
                               [](const Course& c) {
                                   const Eigen::VectorXd times = c.tau();
                                   return c.m({times.data(), times.data() + times.size()});
                               })
        .def(
            "at", [](const Course& c, double tau) { return interpolate(c.result.path, tau); }, py::arg("tau"))
        .def_property_readonly("end", [](const Course& c) { return last_state(c.result.path); })
        .def_property_readonly("events", [](const Course& c) { return find_events(c.result.path, c.mean_theta); })
        .def_property_readonly("converged", [](const Course& c) { return c.result.stopped == Stop::converged; })
        .def_property_readonly("evaluations", [](const Course& c) { return c.result.evaluations; });
    module.def("flow", &run_flow, py::arg("problem"), py::arg("start"), py::arg("until") = 200.0, py::kw_only(),
               py::arg("tolerance") = 1e-6, py::arg("converged") = 1e-8, py::arg("symmetric_root") = false, Unlocked());

    py::class_<Polished>(module, "Limit")
        .def_readonly("state", &Polished::state)
        .def_readonly("loss", &Polished::loss)
        .def_readonly("minimum", &Polished::minimum)
        .def_readonly("curvatures", &Polished::curvatures)
        .def_readonly("largest_gradient", &Polished::largest_gradient);
    module.def("polish", &run_polish, py::arg("problem"), py::arg("state"), py::kw_only(),
               py::arg("max_iterations") = 60, Unlocked());

    py::class_<verify::Scenario>(module, "Scenario")
        .def_static(
            "read", [](const std::string& file) { return verify::read_scenario(file); }, py::arg("file"))
        .def_static(
            "parse", [](const std::string& text) { return verify::parse_scenario(text, "scenario"); }, py::arg("text"))
        .def_readonly("title", &verify::Scenario::title)
        .def_readonly("prior", &verify::Scenario::prior)
        .def_readonly("tokens", &verify::Scenario::tokens)
        .def_property_readonly("problem", &verify::Scenario::problem)
        .def_property_readonly("start", &verify::Scenario::start);

    module.def(
        "_constants",
        [](const std::string& activation, const std::string& tokens, const std::string& heads,
           const std::string& exp_bias, const std::string& scale, const std::string& var, const std::string& var_learnt,
           const std::vector<int>& orders) {
            return to_json(verify::constants_table(
                               {activation, tokens, heads, exp_bias, scale, var, var_learnt, {}, orders}))
                .dump();
        },
        Unlocked());
    module.def("_verify", &verify_as_json, Unlocked());
}
