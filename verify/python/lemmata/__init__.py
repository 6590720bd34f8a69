"""Population losses, training dynamics and Bayes risks of attention heads in the single-location model,
and machine-checked claims about them (arXiv:2603.03993v1).

>>> import lemmata
>>> prior = lemmata.Prior.gaussian([8.0, 2.0])
>>> problem = lemmata.Problem("softmax", tokens=5, prior=prior)
>>> loss = lemmata.loss(problem, lemmata.State([[1.1, 0.6], [-1.0, 0.4]]), gradient=True)
>>> f"{loss.value:.10f}"
'0.6519522288'
>>> loss.gradient.m.shape
(2, 2)
>>> risk = lemmata.bayes_risk(prior, tokens=5)
>>> risk.value < loss.value
True
>>> lemmata.constants("softmax", tokens=5, heads=4)["c_3^(2)"].exact
Fraction(3, 125)

Numbers come with errors (``Estimate``); arrays are NumPy arrays. Bad input raises ``ValueError`` with
the message of the command line, work that could not be finished ``lemmata.Unfinished``. Long calls let
other Python threads run.
"""

import json as _json
from dataclasses import dataclass as _dataclass
from fractions import Fraction as _Fraction

from ._lemmata import (
    Estimate,
    Events,
    Flow,
    Limit,
    Loss,
    Prior,
    Problem,
    Scenario,
    State,
    Unfinished,
    __version__,
    _constants,
    _verify,
    bayes_risk,
    flow,
    hessian,
    loss,
    polish,
)

__all__ = [
    "Constant",
    "Estimate",
    "Events",
    "Flow",
    "Limit",
    "Loss",
    "Prior",
    "Problem",
    "Scenario",
    "State",
    "Unfinished",
    "bayes_risk",
    "constants",
    "flow",
    "hessian",
    "loss",
    "polish",
    "verify",
]


@_dataclass(frozen=True)
class Constant:
    """A constant of the loss's expansion: closed form, LaTeX, proved sign, and its value if all symbols have one."""

    name: str
    closed_form: str
    latex: str
    sign: str
    meaning: str
    exact: "_Fraction | str | None"
    value: "float | None"


def _fraction(text):
    try:
        return _Fraction(text)
    except (TypeError, ValueError):
        return text  # symbols are left


def constants(activation, *, tokens=None, heads=None, exp_bias=None, scale=None, var=None, var_learnt=None,
              orders=(1, 2, 4)):
    """Constants of the expansion at the unspecialized point, by name; symbols not given stay symbolic.

    Values are exact: integers, ``Fraction`` or strings such as "1/3".

    >>> constants("softmax")["c_3^(2)"].closed_form != ""
    True
    >>> from fractions import Fraction
    >>> constants("softmax-1", tokens=3, heads=2, exp_bias=Fraction(1, 2))["c_3^(2)"].value > 0
    True
    """
    def text(value):
        return "" if value is None else str(value)

    answer = _json.loads(
        _constants(str(activation), text(tokens), text(heads), text(exp_bias), text(scale), text(var),
                   text(var_learnt), list(orders)))
    return {
        name: Constant(name, c["closed_form"], c["latex"], c["sign"], c["meaning"], _fraction(c.get("exact")),
                       c.get("value"))
        for name, c in answer["constants"].items()
    }


def verify(*ids, tier="quick", seed=1):
    """Checks claims (all, or those given or beginning so) and returns their entries of the ledger as dictionaries.

    >>> [claim["printed"]["verdict"] for claim in verify("lemma-A.5/c3/softmax")]
    ['proved']
    """
    return _json.loads(_verify(list(ids), tier, seed))["claims"]
