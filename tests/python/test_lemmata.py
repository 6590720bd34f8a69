"""The Python module against closed forms, the command line's promises, and itself."""

import doctest
import inspect
import threading
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import lemmata

gaussian = lemmata.Prior.gaussian([8.0, 2.0])
problem = lemmata.Problem("softmax", tokens=5, prior=gaussian)
state = lemmata.State([[1.1, 0.6], [-1.0, 0.4]], r=[[0.2, 0.0], [0.0, 0.1]])


def test_docstrings():
    results = doctest.testmod(lemmata)
    assert results.attempted >= 10
    assert results.failed == 0


def test_uniform_attention_has_loss_one_minus_one_over_l():
    for tokens in (2, 5, 10**6):
        loss = lemmata.loss(lemmata.Problem("softmax", tokens, gaussian), lemmata.State(np.zeros((3, 2))))
        assert loss.value == pytest.approx(1 - 1 / tokens, abs=1e-12)


def test_gradient_is_that_of_the_loss():
    gradient = lemmata.loss(problem, state, gradient=True).gradient
    step = 1e-4
    for h, f in np.ndindex(2, 2):
        up, down = (lemmata.State(state.m.copy(), state.r, state.b, state.v) for _ in range(2))
        up.m[h, f] += step
        down.m[h, f] -= step
        slope = (lemmata.loss(problem, up).value - lemmata.loss(problem, down).value) / (2 * step)
        assert gradient.m[h, f] == pytest.approx(slope, abs=1e-7)


def test_three_engines_agree():
    exact = lemmata.loss(problem, state)
    nodes = lemmata.loss(problem, state, "gauss-hermite", nodes=64)
    sampled = lemmata.loss(problem, state, "monte-carlo", samples=200_000, seed=3)
    assert exact.estimate.error_kind == "bound"
    assert sampled.estimate.error_kind == "standard"
    assert abs(exact.value - nodes.value) <= exact.error + nodes.error
    assert abs(exact.value - sampled.value) <= exact.error + 4 * sampled.error
    assert float(exact) == exact.value


def test_arrays_go_in_in_any_layout_and_come_out_as_views():
    m = np.arange(6.0).reshape(3, 2) / 10
    by_rows, by_columns = lemmata.State(np.ascontiguousarray(m)), lemmata.State(np.asfortranarray(m))
    assert (by_rows.m == by_columns.m).all()
    assert (lemmata.State(m[::-1]).m == m[::-1]).all()
    by_rows.m[0, 0] = 7
    assert by_rows.m[0, 0] == 7
    assert not by_rows.m.flags.owndata
    gradient = lemmata.loss(problem, lemmata.State(m), gradient=True).gradient
    assert gradient.m.shape == (3, 2) and gradient.r.shape == (3, 3) and gradient.b.shape == (3,)
    assert lemmata.loss(problem, lemmata.State(m)).gradient is None


def test_flow_goes_down_to_its_limit():
    spike = lemmata.Problem("softmax", 4, lemmata.Prior.flipping_spike(2, 2))
    flow = lemmata.flow(spike, lemmata.State.random(heads=2, features=2, seed=5), until=200.0)
    assert flow.converged or flow.tau[-1] == 200
    assert flow.tau[0] == 0 and (np.diff(flow.tau) > 0).all()
    assert (np.diff(flow.loss) < 1e-8).all()
    assert flow.m.shape == (len(flow.tau), 2, 2)
    assert np.allclose(flow.m[-1], flow.end.m)
    assert flow.events.tau_u < flow.events.tau_s
    limit = lemmata.polish(spike, flow.end)
    assert limit.minimum and limit.largest_gradient <= 1e-9
    assert flow.loss[-1] - 1e-2 < limit.loss.value <= flow.loss[-1]
    assert limit.loss.value > lemmata.bayes_risk(spike.prior, 4).value


def test_constants_are_exact():
    c = lemmata.constants("softmax", tokens=5, heads=4)
    assert all(isinstance(c[key].exact, Fraction) for key in ("c_3^(2)", "c_4^(2)"))
    assert float(c["c_3^(2)"].exact) == c["c_3^(2)"].value
    # The rate at which a feature of variance V escapes is 2 (c_3 + c_4) V: 0.96 at V = 20.
    assert abs(2 * (c["c_3^(2)"].exact + c["c_4^(2)"].exact) * 20) == Fraction(24, 25)
    assert isinstance(lemmata.constants("softmax", tokens=5)["c_3^(2)"].exact, str)
    assert lemmata.constants("softmax")["c_3^(2)"].exact is None


def test_hessian_is_symmetric():
    hessian = lemmata.hessian(lemmata.Problem("softmax", 3, lemmata.Prior.spike(2.0)), lemmata.State([[0.5]]))
    assert hessian.shape == (4, 4)
    assert np.allclose(hessian, hessian.T)


def test_verdicts():
    (claim,) = lemmata.verify("prop-IV.2", tier="quick")
    assert claim["printed"]["verdict"] == "refuted"
    assert claim["corrected"]["verdict"] in ("supported", "proved")


def test_scenarios():
    scenario = lemmata.Scenario.parse(
        '[model]\nactivation = "softmax"\ntokens = 3\n[prior]\nkind = "spike"\nstrength = 2.0\n[state]\nm = [[0.5]]')
    assert scenario.problem.tokens == 3
    assert scenario.start.m[0, 0] == 0.5


@pytest.mark.parametrize(
    "mistake, message",
    [
        (lambda: lemmata.Problem("sofmax", 5, gaussian), "sofmax"),
        (lambda: lemmata.Problem("softmax", 1, gaussian), "tokens"),
        (lambda: lemmata.Prior.gaussian([-1.0]), "variances|strengths"),
        (lambda: lemmata.Prior.mixture([0.5, 0.6], [[1.0], [2.0]]), "weight"),
        (lambda: lemmata.Prior.mixture([1.0], [[1.0], [2.0]]), "lengths"),
        (lambda: lemmata.loss(problem, lemmata.State([[1.0]])), "state.m"),
        (lambda: lemmata.loss(problem, lemmata.State([[np.nan, 1.0]])), "state.m"),
        (lambda: lemmata.loss(problem, state, "guess"), "method: guess"),
        (lambda: lemmata.constants("softmax", tokens=1), "--tokens"),
        (lambda: lemmata.verify("lemma-Z.9"), "lemma-Z.9"),
        (lambda: lemmata.Scenario.read("nowhere.toml"), "nowhere.toml"),
    ],
)
def test_mistakes_are_value_errors_that_name_the_field(mistake, message):
    with pytest.raises(ValueError, match=message):
        mistake()


def test_unfinished_work_has_its_own_exception():
    assert issubclass(lemmata.Unfinished, RuntimeError)
    with pytest.raises(lemmata.Unfinished):
        lemmata.polish(problem, state, max_iterations=1)


def test_python_runs_while_a_flow_does():
    beats = 0
    done = threading.Event()

    def work():
        start = lemmata.State.random(heads=6, features=2, seed=2)
        lemmata.flow(problem, start, until=100.0)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        beats += 1
        time.sleep(0.001)
    thread.join()
    assert beats > 5


def test_stubs_name_what_there_is():
    stub = Path(inspect.getfile(lemmata)).with_suffix(".pyi").read_text()
    for name in lemmata.__all__:
        assert f"class {name}" in stub or f"def {name}(" in stub, name
        member = getattr(lemmata, name)
        if inspect.isclass(member):
            body = stub.split(f"class {name}")[1].split("\nclass ")[0].split("\n@dataclass")[0]
            for attribute in vars(member):
                if not attribute.startswith("_"):
                    assert attribute in body, f"{name}.{attribute}"
