import torch
import triton
import triton.language as tl

# Each program writes SIZE rows. Fill the three holes.


@triton.jit
def report(out, base, n, block, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)  # 1. Add the rows of the programs before this one: tl.program_id(0) * SIZE.
    inside = i < n
    tl.store(out + 4 * i, base + i, mask=inside)
    # 2. Write the block and the position in the block into columns 1 and 2.
    # 3. Write the lane into column 3.


def solve(out: torch.Tensor, base: int, n: int, block: int) -> None:
    report[(triton.cdiv(n, 1024),)](out, base, n, block, SIZE=1024)
