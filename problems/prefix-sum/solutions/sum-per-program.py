"""Too slow: one program per element, and each adds up everything before it. n * n / 2 loads instead of n."""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_prefix(source, target):
    own = tl.program_id(0)
    total = 0.0
    for i in range(0, own + 1):
        total += tl.load(source + i)
    tl.store(target + own, total)


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    sum_prefix[(n,)](input, output)
