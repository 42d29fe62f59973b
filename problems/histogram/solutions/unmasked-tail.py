"""Wrong for odd sizes: the lanes past the end are loaded as 0, and then counted as zeros.

The load is masked, as it must be; the addition is not.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def count(source, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(source + at, mask=at < n, other=0)
    tl.atomic_add(counts + value, tl.full((BLOCK,), 1, tl.int32))


def solve(input: torch.Tensor, counts: torch.Tensor, n: int, bins: int) -> None:
    counts.zero_()
    count[(triton.cdiv(n, 256),)](input, counts, n, BLOCK=256)
