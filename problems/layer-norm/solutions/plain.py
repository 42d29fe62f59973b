"""One program per row, the whole row in one block.

What bounds it: DRAM bandwidth. The row is loaded once and stays in registers, so the exact two-pass
variance costs no extra traffic. Lanes beyond the row must not count: they would deviate from the mean
by the mean itself.
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
    mean = tl.sum(x, axis=0) / cols
    centred = tl.where(inside, x - mean, 0.0)
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
    block = triton.next_power_of_2(cols)
    layer_norm[(rows,)](
        input, gamma, beta, output, cols, BLOCK=block, num_warps=min(16, max(1, block // 256))
    )
