"""Wrong: float16 keeps eleven bits of every element, which shows in the short vectors."""

import torch
import triton
import triton.language as tl


@triton.jit
def sum_squares(source, target, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(source + at, mask=at < n, other=0.0).to(tl.float16).to(tl.float32)
    tl.atomic_add(target, tl.sum(x * x, axis=0))


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    output.zero_()
    sum_squares[(triton.cdiv(n, 4096),)](input, output, n, BLOCK=4096)
