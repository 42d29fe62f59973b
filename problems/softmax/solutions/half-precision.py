"""Lower precision: the scores pass through float16, which has 11 significant bits. Near 120 its steps are
1/16, and exp turns an absolute error of 1/32 into a relative error of 3 %.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax(input, output, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    x = tl.load(input + row * cols + col, mask=inside, other=-float("inf"))
    x = x.to(tl.float16).to(tl.float32)
    power = tl.exp(x - tl.max(x, axis=0))
    tl.store(output + row * cols + col, power / tl.sum(power, axis=0), mask=inside)


def solve(
    input: torch.Tensor,
    output: torch.Tensor,
    rows: int,
    cols: int,
) -> None:
    softmax[(rows,)](input, output, cols, BLOCK=triton.next_power_of_2(cols))
