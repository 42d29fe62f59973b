"""Wrong: lanes past the last token have the score 0, because their keys are loaded as 0, and take part in the softmax.

Their values are 0, but their weights count. It is right if the length is a multiple of 64.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def attend(q, k_pages, v_pages, table, length, o, h, d, page, row, scale, KEYS: tl.constexpr, DIM: tl.constexpr):
    head = tl.program_id(0)
    sequence = tl.program_id(1)
    c = tl.arange(0, DIM)
    place = (sequence * h + head) * d
    own = tl.load(q + place + c, mask=c < d, other=0.0).to(tl.float32) * scale
    tokens = tl.load(length + sequence)
    most = -float("inf")
    total = 0.0
    sums = tl.zeros((DIM,), tl.float32)
    for first in range(0, tokens, KEYS):
        token = first + tl.arange(0, KEYS)
        known = token < tokens
        where = tl.load(table + sequence * row + token // page, mask=known, other=0).to(tl.int64)
        start = ((where * page + token % page) * h + head) * d
        inside = known[:, None] & (c < d)[None, :]
        keys = tl.load(k_pages + start[:, None] + c[None, :], mask=inside, other=0.0).to(tl.float32)
        scores = tl.sum(keys * own[None, :], axis=1)
        highest = tl.maximum(most, tl.max(scores, axis=0))
        old = tl.exp(most - highest)
        weights = tl.exp(scores - highest)
        total = total * old + tl.sum(weights, axis=0)
        values = tl.load(v_pages + start[:, None] + c[None, :], mask=inside, other=0.0).to(tl.float32)
        sums = sums * old + tl.sum(values * weights[:, None], axis=0)
        most = highest
    tl.store(o + place + c, sums / total, mask=c < d)


def solve(
    q: torch.Tensor,
    k_pages: torch.Tensor,
    v_pages: torch.Tensor,
    table: torch.Tensor,
    length: torch.Tensor,
    o: torch.Tensor,
    b: int,
    h: int,
    d: int,
    page: int,
    row: int,
) -> None:
    dim = triton.next_power_of_2(d)
    attend[(h, b)](q, k_pages, v_pages, table, length, o, h, d, page, row, d**-0.5, KEYS=64, DIM=dim)
