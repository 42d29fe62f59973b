"""Each program writes 4096 consecutive numbers. The index of a number says its row and its column.

Bound by memory: all stores are contiguous. The arithmetic of all four columns is done for each number, which is
hidden.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def report(out, base, numbers, block, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    i = at // 4
    column = at % 4
    thread = i % block
    first = tl.where(column == 0, base + i, i // block)
    last = tl.where(column == 2, thread, thread % 32)
    tl.store(out + at, tl.where(column < 2, first, last), mask=at < numbers)


def solve(out: torch.Tensor, base: int, n: int, block: int) -> None:
    report[(triton.cdiv(4 * n, 4096),)](out, base, 4 * n, block, SIZE=4096, num_warps=8)
