"""The Monte Carlo gradient in PyTorch, as a user would write it: the peer of monte_carlo_bench.cpp.

H = 8, F = 3, L = 5, Gaussian prior 20 -> 1, 1e5 samples drawn beforehand, autograd. Prints
milliseconds per value and gradient (the smallest of several runs) as "name value" lines.
"""
import time

import torch

torch.set_num_threads(2)
torch.manual_seed(1)
SAMPLES, TOKENS, FEATURES, HEADS = 100_000, 5, 3, 8


def softmax(chi):
    return torch.softmax(chi, dim=1).mean(dim=2)


def milliseconds(dtype):
    variances = torch.linspace(20.0, 1.0, FEATURES, dtype=dtype)
    m = (0.05 * torch.randn(HEADS, FEATURES, dtype=dtype)).requires_grad_()
    r = (0.9 * torch.eye(HEADS, dtype=dtype) + 0.05 * torch.randn(HEADS, HEADS, dtype=dtype)).requires_grad_()
    chi_star = torch.randn(SAMPLES, TOKENS, FEATURES, dtype=dtype)
    chi_star[:, 0] += variances.sqrt() * torch.randn(SAMPLES, FEATURES, dtype=dtype)
    xi = torch.randn(SAMPLES, TOKENS, HEADS, dtype=dtype)
    target = torch.zeros(TOKENS, dtype=dtype)
    target[0] = 1
    best = float("inf")
    for _ in range(7):
        start = time.perf_counter()
        output = softmax(chi_star @ m.T + xi @ r.T)
        loss = ((target - output) ** 2).sum(dim=1).mean()
        torch.autograd.grad(loss, (m, r))
        best = min(best, 1e3 * (time.perf_counter() - start))
    return best


print("torch-float32", milliseconds(torch.float32))
print("torch-float64", milliseconds(torch.float64))
