"""Wrong: lanes beyond the row are loaded as 0 instead of -inf. They take part in the maximum, and each
adds exp(0 - m) to the sum. Rows whose length is a power of two have no such lanes, so they pass.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax(input, output, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    x = tl.load(input + row * cols + col, mask=inside, other=0.0)
    power = tl.exp(x - tl.max(x, axis=0))
    tl.store(output + row * cols + col, power / tl.sum(power, axis=0), mask=inside)


def solve(
    input: torch.Tensor,
    output: torch.Tensor,
    rows: int,
    cols: int,
) -> None:
    softmax[(rows,)](input, output, cols, BLOCK=triton.next_power_of_2(cols))
