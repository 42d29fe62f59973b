"""One pass over x: each program multiplies its tile with the weights and with A, and adds the adapter's part at the end.

What bounds it: arithmetic in full float32. x A^T is computed again in each column of programs, which costs rank / 64 of the
main product and saves a launch and a reading of x.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def product(left, right, out, m, n, depth, by_i, by_k, right_by_k, right_by_j, factor, TILE: tl.constexpr):
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)[:, None]
    j = tl.program_id(1) * TILE + tl.arange(0, TILE)[None, :]
    total = tl.zeros((TILE, TILE), tl.float32)
    for first in range(0, depth, TILE):
        across = first + tl.arange(0, TILE)[None, :]
        down = first + tl.arange(0, TILE)[:, None]
        l = tl.load(left + i * by_i + across * by_k, mask=(i < m) & (across < depth), other=0.0)
        r = tl.load(right + down * right_by_k + j * right_by_j, mask=(down < depth) & (j < n), other=0.0)
        total = tl.dot(l, r, total, input_precision="ieee")
    tl.store(out + i * n + j, factor * total, mask=(i < m) & (j < n))


def multiply(left, right, out, depth, steps, factor):
    """out = factor * left @ right, where \`steps\` are the strides of left, then of right."""
    m, n = out.shape
    product[(triton.cdiv(m, 32), triton.cdiv(n, 32))](left, right, out, m, n, depth, *steps, factor, TILE=32)


@triton.jit
def decode(packed, scale, i, j, ins, inside):
    byte = tl.load(packed + j * (ins // 2) + i // 2, mask=inside, other=0).to(tl.int32)
    level = tl.where(i % 2 == 0, byte & 15, byte >> 4) - 8
    return level.to(tl.float32) * tl.load(scale + j * (ins // 16) + i // 16, mask=inside, other=0.0)


@triton.jit
def forward(
    x, packed, scale, a, b, low, y, rows, ins, outs, rank, scaling, HIGH: tl.constexpr, WIDE: tl.constexpr, RANK: tl.constexpr
):
    i = tl.program_id(0) * HIGH + tl.arange(0, HIGH)[:, None]
    j = tl.program_id(1) * WIDE + tl.arange(0, WIDE)[None, :]
    r = tl.arange(0, RANK)[None, :]
    total = tl.zeros((HIGH, WIDE), tl.float32)
    inner = tl.zeros((HIGH, RANK), tl.float32)
    for first in range(0, ins, 32):
        across = first + tl.arange(0, 32)[None, :]
        down = first + tl.arange(0, 32)[:, None]
        tile = tl.load(x + i * ins + across, mask=(i < rows) & (across < ins), other=0.0)
        weights = decode(packed, scale, down, j, ins, (down < ins) & (j < outs))
        total = tl.dot(tile, weights, total, input_precision="ieee")
        adapter = tl.load(a + r * ins + down, mask=(r < rank) & (down < ins), other=0.0)
        inner = tl.dot(tile, adapter, inner, input_precision="ieee")
    if tl.program_id(1) == 0:
        tl.store(low + i * rank + r, inner, mask=(i < rows) & (r < rank))
    down = tl.arange(0, RANK)[:, None]
    back = tl.load(b + j * rank + down, mask=(j < outs) & (down < rank), other=0.0)
    total += scaling * tl.dot(inner, back, input_precision="ieee")
    tl.store(y + i * outs + j, total, mask=(i < rows) & (j < outs))


def solve(
    x: torch.Tensor,
    packed: torch.Tensor,
    scale: torch.Tensor,
    a: torch.Tensor,
    b: torch.Tensor,
    dy: torch.Tensor,
    y: torch.Tensor,
    da: torch.Tensor,
    db: torch.Tensor,
    rows: int,
    ins: int,
    outs: int,
    rank: int,
    scaling: float,
) -> None:
    low = torch.empty((rows, rank), dtype=torch.float32, device=x.device)
    v = torch.empty((rows, rank), dtype=torch.float32, device=x.device)
    size = max(16, triton.next_power_of_2(rank))
    grid = (triton.cdiv(rows, 64), triton.cdiv(outs, 64))
    forward[grid](
        x, packed, scale, a, b, low, y, rows, ins, outs, rank, scaling, HIGH=64, WIDE=64, RANK=size
    )
    multiply(dy, b, v, outs, (outs, 1, rank, 1), 1.0)
    multiply(v, x, da, rows, (1, rank, ins, 1), scaling)
    multiply(dy, low, db, rows, (1, outs, rank, 1), scaling)
