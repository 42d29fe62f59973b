"""Wrong: multiplies `a` itself, which is an input, and copies the result. The caller may still need `a`."""

import torch


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, n: int) -> None:
    a.mul_(b)
    c.copy_(a)
