"""Wrong: the global numbers are computed in float32, which holds integers exactly only up to 2^24 = 16,777,216.
Larger ones are rounded to a multiple of a power of two, so neighbouring threads report the same number.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def report(out, base, n, block, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    inside = i < n
    thread = i % block
    number = base.to(tl.float32) + i.to(tl.float32)
    tl.store(out + 4 * i, number.to(tl.int32), mask=inside)
    tl.store(out + 4 * i + 1, i // block, mask=inside)
    tl.store(out + 4 * i + 2, thread, mask=inside)
    tl.store(out + 4 * i + 3, thread % 32, mask=inside)


def solve(out: torch.Tensor, base: int, n: int, block: int) -> None:
    report[(triton.cdiv(n, 1024),)](out, base, n, block, SIZE=1024)
