"""Tiles of rows and columns merge their flags by tl.atomic_max, and long rows are quantised in pieces.

What bounds it: memory. The search has a program for every 128 rows of 128 columns, enough to fill a GPU. Only
columns with an outlier take part in the atomic operation, because the mask excludes the others. Pieces of 2048 columns keep
registers low for any width; the second look at a row hits the cache.
"""

import torch
import triton
import triton.language as tl

ROWS, COLS, PIECE = 128, 128, 2048


@triton.jit
def find_outliers(x, flags, m, k, threshold, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = (tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]).to(tl.int64)
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    inside = (row < m) & (col < k)[None, :]
    values = tl.load(x + row * k + col[None, :], mask=inside, other=0.0).to(tl.float32)
    found = tl.max(tl.abs(values), axis=0) >= threshold
    tl.atomic_max(flags + col, found.to(tl.int32), mask=found)


@triton.jit
def to_bytes(flags, outlier, k, BLOCK: tl.constexpr):
    col = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    found = tl.load(flags + col, mask=col < k)
    tl.store(outlier + col, (found != 0).to(tl.uint8), mask=col < k)


@triton.jit
def quantise(x, flags, q, scale, k, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    most = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, k, BLOCK):
        col = first + tl.arange(0, BLOCK)
        kept = (col < k) & (tl.load(flags + col, mask=col < k, other=1) == 0)
        values = tl.load(x + row * k + col, mask=kept, other=0.0).to(tl.float32)
        most = tl.maximum(most, tl.abs(values))
    greatest = tl.max(most, axis=0)
    step = tl.where(greatest > 0.0, greatest / 127.0, 1.0)
    for first in range(0, k, BLOCK):
        col = first + tl.arange(0, BLOCK)
        kept = (col < k) & (tl.load(flags + col, mask=col < k, other=1) == 0)
        values = tl.load(x + row * k + col, mask=kept, other=0.0).to(tl.float32)
        tl.store(q + row * k + col, tl.floor(values / step + 0.5).to(tl.int8), mask=col < k)
    tl.store(scale + row, step)


def solve(
    x: torch.Tensor,
    q: torch.Tensor,
    scale: torch.Tensor,
    outlier: torch.Tensor,
    m: int,
    k: int,
    threshold: float,
) -> None:
    flags = torch.zeros(k, dtype=torch.int32, device=x.device)
    grid = (triton.cdiv(k, COLS), triton.cdiv(m, ROWS))
    find_outliers[grid](x, flags, m, k, threshold, ROWS=ROWS, COLS=COLS)
    to_bytes[(triton.cdiv(k, 1024),)](flags, outlier, k, BLOCK=1024)
    quantise[(m,)](x, flags, q, scale, k, BLOCK=PIECE)
