"""Lower precision: rounds every element to float16 before it is added.

The additions are float32, but the inputs lie just above the steps of float16: every rounding loses a little in
the same direction, and over a million elements that is more than two hundred.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_up(source, target, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(source + at, mask=at < n, other=0.0).to(tl.float16)
    tl.atomic_add(target, tl.sum(values.to(tl.float32), axis=0))


def solve(input: torch.Tensor, output: torch.Tensor, n: int) -> None:
    output.zero_()
    add_up[(triton.cdiv(n, 4096),)](input, output, n, BLOCK=4096)
