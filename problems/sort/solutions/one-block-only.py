"""Wrong: sorts each block of 256 elements and never merges the blocks. Cases of up to 256 elements pass."""

import torch
import triton
import triton.language as tl

BLOCK = 256


@triton.jit
def sort_block(source, target, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    i = first + tl.arange(0, BLOCK)
    mine = tl.load(source + i, mask=i < n)
    rank = tl.zeros((BLOCK,), tl.int32)
    for j in range(first, min(first + BLOCK, n)):
        other = tl.load(source + j)
        before = (other < mine) | ((other == mine) & (j < i))
        rank += before.to(tl.int32)
    tl.store(target + first + rank, mine, mask=i < n)


def solve(data: torch.Tensor, n: int) -> None:
    sort_block[(triton.cdiv(n, BLOCK),)](data.clone(), data, n, BLOCK=BLOCK)
