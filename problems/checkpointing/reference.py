"""Residual blocks with dropout, whose masks follow from a seed as PyTorch's generator on a CPU draws them."""

import torch

KEPT = 0.9


def generate(xp, rng, size):
    blocks, b, d = size["blocks"], size["b"], size["d"]
    return {
        "x": rng.standard_normal((b, d)),
        "weight": 0.5 * rng.standard_normal((blocks, d, d)) / d**0.5,
        "dy": rng.standard_normal((b, d)),
    }


def reference(xp, x, weight, dy, blocks, b, d, seed):
    start = torch.from_dlpack(x).clone().requires_grad_()
    weights = torch.from_dlpack(weight).clone().requires_grad_()
    generator = torch.Generator().manual_seed(seed)
    h = start
    for i in range(blocks):
        keep = torch.rand(b, d, generator=generator) >= 1 - KEPT
        branch = torch.nn.functional.gelu(h @ weights[i], approximate="tanh")
        h = h + branch * keep.to(h.device) / KEPT
    dx, dweight = torch.autograd.grad(h, [start, weights], torch.from_dlpack(dy))
    return {"y": xp.from_dlpack(h.detach()), "dx": xp.from_dlpack(dx), "dweight": xp.from_dlpack(dweight)}
