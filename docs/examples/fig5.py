"""Limit loss against the number of heads, as in Fig. 5: fig5.py OUT.svg [most heads]"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import lemmata

out, most = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 4
tokens, prior = 5, lemmata.Prior.flipping_spike(4.0, 4.0)
heads = range(1, most + 1)


def limit(activation, count, seed=1):
    problem = lemmata.Problem(activation, tokens, prior)
    start = lemmata.State.random(count, prior.features, seed=seed)
    if activation == "bayes-softmax":
        start.r = 0 * start.r  # where its loss is exact; r = 0 stays 0
    flow = lemmata.flow(problem, start, until=200.0, tolerance=1e-4)
    try:
        return lemmata.polish(problem, flow.end).loss.value
    except lemmata.Unfinished:  # the way is too flat for Newton steps: the flow's end must do
        return flow.loss[-1]


for activation in ("softmax", "softmax-1", "bayes-softmax"):
    losses = [limit(activation, count) for count in heads]
    print(f"{activation:14}", *(f"{loss:.6f}" for loss in losses))
    plt.plot(heads, losses, "o-", label=activation)
risk = lemmata.bayes_risk(prior, tokens).value
print(f"{'Bayes risk':14} {risk:.6f}")
plt.axhline(risk, color="black", linestyle="--", label="Bayes risk")
plt.xticks(list(heads))
plt.xlabel("number of heads $H$")
plt.ylabel("limit loss")
plt.legend()
plt.savefig(out)
