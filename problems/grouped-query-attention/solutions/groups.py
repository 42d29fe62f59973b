"""Sixteen rows share blocks of keys: the heads of a group, for one query after the other, with tl.dot for both products.

What bounds it: device memory for few queries, tensor cores for many. With a single query, the rows of a tile are the heads of
the group, so keys and values are read once for all of them. The weights are rounded to float16 for the second
product. Their sum is not rounded.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def attend(q, k, v, o, m, n, hq, hk, d, scale, ROWS: tl.constexpr, KEYS: tl.constexpr, DIM: tl.constexpr):
    batch = tl.program_id(2).to(tl.int64)
    group = hq // hk
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    query = row // group
    head = tl.program_id(1) * group + row % group
    c = tl.arange(0, DIM)
    known = (query < m)[:, None] & (c < d)[None, :]
    place = ((batch * m + query[:, None]) * hq + head[:, None]) * d + c[None, :]
    own = tl.load(q + place, mask=known, other=0.0)
    start = (batch * n * hk + tl.program_id(1)) * d
    most = tl.full((ROWS,), -float("inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    sums = tl.zeros((ROWS, DIM), tl.float32)
    last = tl.minimum(n, n - m + (tl.program_id(0) * ROWS + ROWS - 1) // group + 1)
    for first in range(0, last, KEYS):
        key = first + tl.arange(0, KEYS)
        inside = (key < n)[:, None] & (c < d)[None, :]
        at = start + key[:, None].to(tl.int64) * hk * d + c[None, :]
        scores = tl.dot(own, tl.trans(tl.load(k + at, mask=inside, other=0.0))) * scale
        scores = tl.where(key[None, :] <= n - m + query[:, None], scores, -float("inf"))
        highest = tl.maximum(most, tl.max(scores, axis=1))
        old = tl.exp(most - highest)
        weights = tl.exp(scores - highest[:, None])
        total = total * old + tl.sum(weights, axis=1)
        values = tl.load(v + at, mask=inside, other=0.0)
        sums = sums * old[:, None] + tl.dot(weights.to(tl.float16), values)
        most = highest
    tl.store(o + place, sums / total[:, None], mask=known)


def solve(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    o: torch.Tensor,
    b: int,
    m: int,
    n: int,
    hq: int,
    hk: int,
    d: int,
) -> None:
    grid = (triton.cdiv(m * (hq // hk), 16), hk, b)
    dim = max(16, triton.next_power_of_2(d))
    attend[grid](q, k, v, o, m, n, hq, hk, d, d**-0.5, ROWS=16, KEYS=64, DIM=dim)
