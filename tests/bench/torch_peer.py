"""The Monte Carlo gradient in PyTorch, as a user would write it: the peer of monte_carlo_bench.cpp.

L = 5, 1e5 samples drawn beforehand, autograd; H = 8, F = 3, Gaussian prior 20 -> 1, and H = 2, F = 2,
flipping spike. Prints milliseconds per value and gradient (the smallest of several runs) as "name
value" lines.
"""
import time

import torch

torch.set_num_threads(2)
torch.manual_seed(1)
SAMPLES, TOKENS = 100_000, 5


def softmax(chi):
    return torch.softmax(chi, dim=1).mean(dim=2)


def gaussian(dtype):
    return torch.linspace(20.0, 1.0, 3, dtype=dtype).sqrt() * torch.randn(SAMPLES, 3, dtype=dtype)


def flipping(dtype):
    theta = torch.full((SAMPLES, 2), 2.0, dtype=dtype).sqrt()
    theta[:, 1] *= torch.randint(0, 2, (SAMPLES,)) * 2 - 1
    return theta


def milliseconds(dtype, heads, prior):
    theta = prior(dtype)
    features = theta.shape[1]
    m = (0.05 * torch.randn(heads, features, dtype=dtype)).requires_grad_()
    r = (0.9 * torch.eye(heads, dtype=dtype) + 0.05 * torch.randn(heads, heads, dtype=dtype)).requires_grad_()
    chi_star = torch.randn(SAMPLES, TOKENS, features, dtype=dtype)
    chi_star[:, 0] += theta
    xi = torch.randn(SAMPLES, TOKENS, heads, dtype=dtype)
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


print("torch-float32", milliseconds(torch.float32, 8, gaussian))
print("torch-float64", milliseconds(torch.float64, 8, gaussian))
print("torch-float32/flipping-H2", milliseconds(torch.float32, 2, flipping))
