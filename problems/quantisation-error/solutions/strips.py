"""A program for each strip of rows and block of channels; sums and maxima by atomic operations.

What bounds it: memory. Strips of 128 rows by 64 channels give thousands of programs whatever the shape is. The sums of a
channel are in a temporary array, and a second kernel computes logarithms and quotients from them.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def measure(x, xq, sums, worst, hist, m, n, ROWS: tl.constexpr, COLS: tl.constexpr):
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    row = (tl.program_id(1) * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    inside = (row < m)[:, None] & (col < n)[None, :]
    at = row[:, None] * n + col[None, :]
    value = tl.load(x + at, mask=inside, other=0.0)
    error = tl.load(xq + at, mask=inside, other=0.0) - value
    square = error * error
    tl.atomic_add(sums + col, tl.sum(value * value, axis=0), mask=col < n)
    tl.atomic_add(sums + n + col, tl.sum(square, axis=0), mask=col < n)
    tl.atomic_add(sums + 2 * n + col, tl.sum(square * square, axis=0), mask=col < n)
    tl.atomic_max(worst + col, tl.max(tl.abs(error), axis=0), mask=col < n)
    exponent = (error.to(tl.int32, bitcast=True) >> 23) & 255
    place = tl.minimum(tl.maximum(exponent - 95, 0), 63)
    # No mask, because Triton 3.6.0 and 3.9.0 may reorder a ravelled mask and ravelled values differently.
    # Lanes outside the matrix have an error of zero, so their number is subtracted from bin 0.
    counts = tl.histogram(tl.ravel(place), 64)
    rows = tl.minimum(m - tl.program_id(1) * ROWS, ROWS)
    cols = tl.minimum(n - tl.program_id(0) * COLS, COLS)
    bin = tl.arange(0, 64)
    counts -= tl.where(bin == 0, ROWS * COLS - rows * cols, 0)
    tl.atomic_add(hist + bin, counts, mask=counts > 0)


@triton.jit
def finish(sums, sqnr, kurtosis, m, n, BLOCK: tl.constexpr):
    col = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = col < n
    signal = tl.load(sums + col, mask=inside, other=1.0)
    noise = tl.load(sums + n + col, mask=inside, other=1.0)
    fourth = tl.load(sums + 2 * n + col, mask=inside, other=1.0)
    some = noise > 0.0
    divisor = tl.where(some, noise, 1.0)
    ratio = tl.where(some, signal / divisor, 1.0)
    # tl.log2 and a constant: 10 * log10(2) = 3.0103.
    tl.store(sqnr + col, tl.where(some, 3.010299956639812 * tl.log2(ratio), 200.0), mask=inside)
    tl.store(kurtosis + col, tl.where(some, m * fourth / divisor / divisor, 0.0), mask=inside)


def solve(
    x: torch.Tensor,
    xq: torch.Tensor,
    sqnr: torch.Tensor,
    worst: torch.Tensor,
    kurtosis: torch.Tensor,
    hist: torch.Tensor,
    m: int,
    n: int,
) -> None:
    hist.zero_()
    worst.zero_()
    sums = torch.zeros(3 * n, dtype=torch.float32, device=x.device)
    grid = (triton.cdiv(n, 64), triton.cdiv(m, 128))
    measure[grid](x, xq, sums, worst, hist, m, n, ROWS=128, COLS=64)
    finish[(triton.cdiv(n, 256),)](sums, sqnr, kurtosis, m, n, BLOCK=256)
