"""tl.sum over a block of 4096 elements, and one atomic addition per program. Bound by memory bandwidth."""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_squares(source, target, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(source + at, mask=at < n, other=0.0)
    tl.atomic_add(target, tl.sum(x * x, axis=0))


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    output.zero_()
    sum_squares[(triton.cdiv(n, 4096),)](input, output, n, BLOCK=4096)
