"""One kernel for each pass, as a training step has them: many other kernels run between the two.

What bounds it: memory, 20 bytes for each element, because both passes read x.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def forward(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    inner = 1.5957691216 * (v + 0.044715 * v * v * v)
    share = tl.sigmoid(inner)
    tl.store(y + at, v * share, mask=at < n)


@triton.jit
def backward(x, dy, dx, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    inner = 1.5957691216 * (v + 0.044715 * v * v * v)
    share = tl.sigmoid(inner)
    slope = share + v * share * tl.sigmoid(-inner) * 1.5957691216 * (1 + 0.134145 * v * v)
    tl.store(dx + at, tl.load(dy + at, mask=at < n) * slope, mask=at < n)


def solve(x: torch.Tensor, dy: torch.Tensor, y: torch.Tensor, dx: torch.Tensor, n: int) -> None:
    grid = (triton.cdiv(n, 512),)
    forward[grid](x, y, n, BLOCK=512)
    backward[grid](x, dy, dx, n, BLOCK=512)
