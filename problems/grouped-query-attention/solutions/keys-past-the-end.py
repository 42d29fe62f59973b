"""Wrong: lanes past the last visible key load zeros, so they have the score 0 and take part in the softmax. Their values are 0
too, so results shrink, to 0 where all other scores are far below 0. Counts of keys that fill all blocks have no such lanes.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def attend(q, k, v, o, m, n, hq, hk, d, scale, KEYS: tl.constexpr, DIM: tl.constexpr):
    head = tl.program_id(0)
    query = tl.program_id(1)
    batch = tl.program_id(2).to(tl.int64)
    place = ((batch * m + query) * hq + head) * d
    start = (batch * n * hk + head // (hq // hk)) * d
    c = tl.arange(0, DIM)
    own = tl.load(q + place + c, mask=c < d, other=0.0).to(tl.float32) * scale
    seen = n - m + query + 1
    most = -float("inf")
    total = 0.0
    sums = tl.zeros((DIM,), tl.float32)
    for first in range(0, seen, KEYS):
        key = first + tl.arange(0, KEYS)
        inside = (key < seen)[:, None] & (c < d)[None, :]
        at = start + key[:, None].to(tl.int64) * hk * d + c[None, :]
        scores = tl.sum(tl.load(k + at, mask=inside, other=0.0).to(tl.float32) * own[None, :], axis=1)
        highest = tl.maximum(most, tl.max(scores, axis=0))
        old = tl.exp(most - highest)
        weights = tl.exp(scores - highest)
        total = total * old + tl.sum(weights, axis=0)
        values = tl.load(v + at, mask=inside, other=0.0).to(tl.float32)
        sums = sums * old + tl.sum(values * weights[:, None], axis=0)
        most = highest
    tl.store(o + place + c, sums / total, mask=c < d)


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
    attend[(hq, m, b)](q, k, v, o, m, n, hq, hk, d, d**-0.5, KEYS=64, DIM=triton.next_power_of_2(d))
