"""A program for each query walks over blocks of keys with an online softmax.

What bounds it: the caches. No scores are stored, but each query reads all keys and values of its head again.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def attend(q, k, v, o, lse, n, d, scale, causal, KEYS: tl.constexpr, DIM: tl.constexpr):
    query = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * n
    c = tl.arange(0, DIM)
    own = tl.load(q + (head + query) * d + c, mask=c < d, other=0.0).to(tl.float32) * scale
    most = -float("inf")
    total = 0.0
    sums = tl.zeros((DIM,), tl.float32)
    last = n
    if causal != 0:
        last = query + 1
    for first in range(0, last, KEYS):
        key = first + tl.arange(0, KEYS)
        inside = (key < last)[:, None] & (c < d)[None, :]
        at = (head + key[:, None]) * d + c[None, :]
        scores = tl.sum(tl.load(k + at, mask=inside, other=0.0).to(tl.float32) * own[None, :], axis=1)
        scores = tl.where(key < last, scores, -float("inf"))
        highest = tl.maximum(most, tl.max(scores, axis=0))
        old = tl.exp(most - highest)
        weights = tl.exp(scores - highest)
        total = total * old + tl.sum(weights, axis=0)
        values = tl.load(v + at, mask=inside, other=0.0).to(tl.float32)
        sums = sums * old + tl.sum(values * weights[:, None], axis=0)
        most = highest
    tl.store(o + (head + query) * d + c, sums / total, mask=c < d)
    tl.store(lse + head + query, most + tl.log(total))


def solve(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    o: torch.Tensor,
    lse: torch.Tensor,
    b: int,
    h: int,
    n: int,
    d: int,
    causal: int,
) -> None:
    attend[(n, b * h)](q, k, v, o, lse, n, d, d**-0.5, causal, KEYS=64, DIM=triton.next_power_of_2(d))
