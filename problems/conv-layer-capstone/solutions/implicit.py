"""An implicit product: each program multiplies tiles of filters and windows, and finds each pixel when it loads it."""

import triton
import triton.language as tl


@triton.jit
def convolve(
    x, filters, y, c, h, w, o, r, s, pad, rows, cols,
    FILTERS: tl.constexpr, PLACES: tl.constexpr, STEP: tl.constexpr,
):
    depth = c * r * s
    places = rows * cols
    place = tl.program_id(0) * PLACES + tl.arange(0, PLACES)
    filter = tl.program_id(1) * FILTERS + tl.arange(0, FILTERS)
    image = tl.program_id(2).to(tl.int64)
    p = place // cols
    q = place % cols
    sums = tl.zeros((FILTERS, PLACES), dtype=tl.float32)
    for first in range(0, depth, STEP):
        step = first + tl.arange(0, STEP)
        known = (filter[:, None] < o) & (step[None, :] < depth)
        weights = tl.load(filters + filter[:, None] * depth + step[None, :], mask=known, other=0.0)
        row = p[None, :] + (step // s % r)[:, None] - pad
        col = q[None, :] + (step % s)[:, None] - pad
        channel = (step // (r * s))[:, None]
        inside = (row >= 0) & (row < h) & (col >= 0) & (col < w)
        inside &= (step[:, None] < depth) & (place[None, :] < places)
        at = ((image * c + channel) * h + row) * w + col
        windows = tl.load(x + at, mask=inside, other=0.0)
        sums += tl.dot(weights, windows)
    target = (image * o + filter[:, None]) * places + place[None, :]
    tl.store(y + target, sums.to(tl.float16), mask=(filter[:, None] < o) & (place[None, :] < places))


def solve(x, filters, y, b: int, c: int, h: int, w: int, o: int, r: int, s: int, pad: int):
    rows, cols = h + 2 * pad - r + 1, w + 2 * pad - s + 1
    grid = (triton.cdiv(rows * cols, 64), triton.cdiv(o, 32), b)
    convolve[grid](
        x, filters, y, c, h, w, o, r, s, pad, rows, cols, FILTERS=32, PLACES=64, STEP=32
    )
