import torch
import triton
import triton.language as tl

# Each program loads BLOCK elements and adds their sum to the output.
# Fill the three holes.


@triton.jit
def add_up(source, target, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # 1. Which value do elements past the end need? Give it as `other`.
    values = tl.load(source + at, mask=at < n)
    # 2. This is the maximum. Compute the sum.
    tl.atomic_add(target, tl.max(values, axis=0))


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    # 3. The output holds random bits. Set it to 0 here.
    add_up[(triton.cdiv(n, 1024),)](input, output, n, BLOCK=1024)
