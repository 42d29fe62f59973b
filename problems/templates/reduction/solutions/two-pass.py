"""Few programs with long loops, then one that adds their sums in a fixed order: every run gives the same bits.

Bound by memory bandwidth and one more launch.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_squares(source, sums, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    step = tl.num_programs(0) * BLOCK
    for first in range(tl.program_id(0) * BLOCK, n, step):
        at = first + tl.arange(0, BLOCK)
        x = tl.load(source + at, mask=at < n, other=0.0)
        total += x * x
    tl.store(sums + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def add_up(sums, target, count, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(target, tl.sum(tl.load(sums + at, mask=at < count, other=0.0), axis=0))


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    programs = min(triton.cdiv(n, 8192), 512)
    sums = torch.empty(programs, dtype=torch.float32, device=input.device)
    sum_squares[(programs,)](input, sums, n, BLOCK=8192, num_warps=8)
    add_up[(1,)](sums, output, programs, BLOCK=512)
