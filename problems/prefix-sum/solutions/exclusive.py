"""Wrong: an exclusive scan. Each output lacks its own element, which is worth at least 1."""

import torch
import triton
import triton.language as tl


@triton.jit
def scan(source, target, n, BLOCK: tl.constexpr):
    before = 0.0
    for first in range(0, n, BLOCK):
        at = first + tl.arange(0, BLOCK)
        values = tl.load(source + at, mask=at < n, other=0.0)
        tl.store(target + at, before + tl.cumsum(values, axis=0) - values, mask=at < n)
        before += tl.sum(values, axis=0)


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    scan[(1,)](input, output, n, BLOCK=4096)
