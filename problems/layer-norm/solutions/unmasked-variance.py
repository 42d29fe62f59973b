"""Wrong: lanes beyond the row are loaded as 0, which is harmless in the sum, but (0 - mean)^2 is not
harmless in the variance. Rows whose length is a power of two have no such lanes, so they pass.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm(input, gamma, beta, output, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    x = tl.load(input + row * cols + col, mask=inside, other=0.0)
    centred = x - tl.sum(x, axis=0) / cols
    variance = tl.sum(centred * centred, axis=0) / cols
    scale = 1.0 / tl.sqrt(variance + 1e-5)
    g = tl.load(gamma + col, mask=inside)
    b = tl.load(beta + col, mask=inside)
    tl.store(output + row * cols + col, centred * scale * g + b, mask=inside)


def solve(
    input: torch.Tensor,
    gamma: torch.Tensor,
    beta: torch.Tensor,
    output: torch.Tensor,
    rows: int,
    cols: int,
) -> None:
    layer_norm[(rows,)](input, gamma, beta, output, cols, BLOCK=triton.next_power_of_2(cols))
