"""One lane for each element. (1 + tanh(u)) / 2 is the sigmoid of 2u, and 1 - sigmoid(2u) is sigmoid(-2u).

What bounds it: memory, 16 bytes for each element.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def gelu(x, dy, y, dx, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    inner = 1.5957691216 * (v + 0.044715 * v * v * v)
    share = tl.sigmoid(inner)
    tl.store(y + at, v * share, mask=at < n)
    slope = share + v * share * tl.sigmoid(-inner) * 1.5957691216 * (1 + 0.134145 * v * v)
    tl.store(dx + at, tl.load(dy + at, mask=at < n) * slope, mask=at < n)


def solve(x: torch.Tensor, dy: torch.Tensor, y: torch.Tensor, dx: torch.Tensor, n: int) -> None:
    gelu[(triton.cdiv(n, 1024),)](x, dy, y, dx, n, BLOCK=1024)
