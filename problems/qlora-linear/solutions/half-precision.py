"""Lower precision: rounds the factors to float16 to use tensor cores. Decoded weights have up to four bits times a float32 scale,
and x has 24 bits: both lose more than half of their digits.
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
        total = tl.dot(l.to(tl.float16), r.to(tl.float16), total)
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
def forward(x, packed, scale, low, b, y, rows, ins, outs, rank, scaling, TILE: tl.constexpr, RANK: tl.constexpr):
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)[:, None]
    j = tl.program_id(1) * TILE + tl.arange(0, TILE)[None, :]
    total = tl.zeros((TILE, TILE), tl.float32)
    for first in range(0, ins, TILE):
        across = first + tl.arange(0, TILE)[None, :]
        down = first + tl.arange(0, TILE)[:, None]
        l = tl.load(x + i * ins + across, mask=(i < rows) & (across < ins), other=0.0)
        r = decode(packed, scale, down, j, ins, (down < ins) & (j < outs))
        total = tl.dot(l.to(tl.float16), r.to(tl.float16), total)
    across = tl.arange(0, RANK)[None, :]
    down = tl.arange(0, RANK)[:, None]
    l = tl.load(low + i * rank + across, mask=(i < rows) & (across < rank), other=0.0)
    r = tl.load(b + j * rank + down, mask=(j < outs) & (down < rank), other=0.0)
    total += scaling * tl.dot(l, r, input_precision="ieee")
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
    multiply(x, a, low, ins, (ins, 1, 1, ins), 1.0)
    multiply(dy, b, v, outs, (outs, 1, rank, 1), 1.0)
    size = max(16, triton.next_power_of_2(rank))
    grid = (triton.cdiv(rows, 32), triton.cdiv(outs, 32))
    forward[grid](x, packed, scale, low, b, y, rows, ins, outs, rank, scaling, TILE=32, RANK=size)
    multiply(v, x, da, rows, (1, rank, ins, 1), scaling)
    multiply(dy, low, db, rows, (1, outs, rank, 1), scaling)
