"""Wrong: a conversion to an integer drops the fraction, so codes move towards the zero point, by half a step on average. The rounding errors
then have a mean, and the gradient of the scale inherits it.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def fake_quantise(x, dy, s, z, y, dx, ds, n, levels, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    scale = tl.load(s + row)
    zero = tl.load(z + row)
    sums = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, n, BLOCK):
        col = first + tl.arange(0, BLOCK)
        inside_row = col < n
        at = row * n + col
        value = tl.load(x + at, mask=inside_row, other=0.0)
        gradient = tl.load(dy + at, mask=inside_row, other=0.0)
        quotient = value / scale
        rounded = quotient.to(tl.int32).to(tl.float32)
        code = rounded + zero
        kept = tl.minimum(tl.maximum(code, 0.0), levels.to(tl.float32))
        inside = code == kept
        tl.store(y + at, (kept - zero) * scale, mask=inside_row)
        tl.store(dx + at, tl.where(inside, gradient, 0.0), mask=inside_row)
        sums += gradient * tl.where(inside, rounded - quotient, kept - zero)
    tl.store(ds + row, tl.sum(sums, axis=0))


def solve(
    x: torch.Tensor,
    dy: torch.Tensor,
    s: torch.Tensor,
    z: torch.Tensor,
    y: torch.Tensor,
    dx: torch.Tensor,
    ds: torch.Tensor,
    m: int,
    n: int,
    levels: int,
) -> None:
    block = min(2048, triton.next_power_of_2(n))
    fake_quantise[(m,)](x, dy, s, z, y, dx, ds, n, levels, BLOCK=block)
