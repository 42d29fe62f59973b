"""Cheating: sums every other element and doubles the result, which would halve the time.

With two signs the halves have little in common: the error is of the order of the sum itself.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_up(source, target, n, BLOCK: tl.constexpr):
    at = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)) * 2
    values = tl.load(source + at, mask=at < n, other=0.0)
    tl.atomic_add(target, 2 * tl.sum(values, axis=0))


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    output.zero_()
    add_up[(triton.cdiv(n, 8192),)](input, output, n, BLOCK=4096)
