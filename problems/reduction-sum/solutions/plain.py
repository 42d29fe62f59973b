"""tl.sum over a block of 4096 elements, and one atomic addition per program.

Bound by memory bandwidth, with a tree in shared memory for every block in between.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_up(source, target, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(source + at, mask=at < n, other=0.0)
    tl.atomic_add(target, tl.sum(values, axis=0))


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    output.zero_()
    add_up[(triton.cdiv(n, 4096),)](input, output, n, BLOCK=4096)
