"""The paper's dynamics in PyTorch, as a user would write them: the peer of dynamics_bench.cpp.

Prints milliseconds (the smallest of several runs) as "name value" lines:
  torch-sgd       an SGD step over 500 fresh sequences, D = 10000, L = 10, H = 2: generation, loss, gradient
  torch-euler     an Euler step of the flow, H = 8, F = 3, L = 5, Gaussian prior 20 -> 1, 1e5 fixed samples
"""
import time

import torch

torch.set_num_threads(2)
torch.manual_seed(1)


def best_of(repetitions, work):
    best = float("inf")
    for _ in range(repetitions):
        start = time.perf_counter()
        work()
        best = min(best, 1e3 * (time.perf_counter() - start))
    return best


def sgd(sequences=500, dimension=10_000, tokens=10, heads=2):
    spikes = torch.randn(dimension, 2) / dimension**0.5
    k = (torch.randn(dimension, heads) / dimension**0.5).requires_grad_()

    def step():
        x = torch.randn(sequences, tokens, dimension)
        theta = torch.full((sequences, 2), 2**0.5)
        theta[:, 1] *= 2 * torch.randint(0, 2, (sequences,)) - 1
        relevant = torch.randint(0, tokens, (sequences,))
        rows = torch.arange(sequences)
        x[rows, relevant] += theta @ spikes.T
        attention = torch.softmax(x @ k, dim=1).mean(dim=2)
        prediction = torch.einsum("bl,bld->bd", attention, x)
        loss = ((x[rows, relevant] - prediction) ** 2).sum(dim=1).mean() / dimension
        (gradient,) = torch.autograd.grad(loss, k)
        with torch.no_grad():
            k.sub_(0.02 * gradient)

    return best_of(5, step)


def euler(samples=100_000, tokens=5, features=3, heads=8, steps=20):
    variances = torch.linspace(20.0, 1.0, features)
    m = (0.01 * torch.randn(heads, features)).requires_grad_()
    r = (torch.eye(heads) + 0.01 * torch.randn(heads, heads)).requires_grad_()
    chi_star = torch.randn(samples, tokens, features)
    chi_star[:, 0] += variances.sqrt() * torch.randn(samples, features)
    xi = torch.randn(samples, tokens, heads)
    target = torch.zeros(tokens)
    target[0] = 1

    def some_steps():
        for _ in range(steps):
            output = torch.softmax(chi_star @ m.T + xi @ r.T, dim=1).mean(dim=2)
            loss = ((target - output) ** 2).sum(dim=1).mean()
            gradients = torch.autograd.grad(loss, (m, r))
            with torch.no_grad():
                for parameter, gradient in zip((m, r), gradients):
                    parameter.sub_(0.02 * gradient)

    return best_of(3, some_steps) / steps


print("torch-sgd", sgd())
print("torch-euler", euler())
