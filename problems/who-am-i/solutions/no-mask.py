"""Wrong: tl.arange always has a power of two elements, and the last program stores all of them. Without a mask it
writes past the end of out.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def report(out, base, block, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    thread = i % block
    tl.store(out + 4 * i, base + i)
    tl.store(out + 4 * i + 1, i // block)
    tl.store(out + 4 * i + 2, thread)
    tl.store(out + 4 * i + 3, thread % 32)


def solve(out: torch.Tensor, base: int, n: int, block: int) -> None:
    report[(triton.cdiv(n, 1024),)](out, base, block, SIZE=1024)
