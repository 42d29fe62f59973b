"""One atomic addition in global memory per element.

Bound by contention: equal values queue for the same counter, and frequent values queue the longest.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def count(source, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(source + at, mask=inside, other=0)
    tl.atomic_add(counts + value, tl.full((BLOCK,), 1, tl.int32), mask=inside, sem="relaxed")


def solve(input: torch.Tensor, counts: torch.Tensor, n: int, bins: int) -> None:
    counts.zero_()
    count[(triton.cdiv(n, 4096),)](input, counts, n, BLOCK=4096)
