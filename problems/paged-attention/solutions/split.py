"""A program for each 256 tokens of a head, whatever the length of the sequence. A second kernel merges the parts.

What bounds it: bandwidth, also for a few long sequences. Programs past the end of their sequence return at once, and the merging
kernel knows from the length which parts exist.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def attend_part(
    q,
    k_pages,
    v_pages,
    table,
    length,
    maxima,
    totals,
    found,
    h,
    d,
    page,
    row,
    scale,
    TOKENS: tl.constexpr,
    KEYS: tl.constexpr,
    DIM: tl.constexpr,
):
    head = tl.program_id(0)
    part = tl.program_id(1)
    sequence = tl.program_id(2)
    tokens = tl.load(length + sequence)
    if part * TOKENS < tokens:
        c = tl.arange(0, DIM)
        own = tl.load(q + (sequence * h + head) * d + c, mask=c < d, other=0.0).to(tl.float32) * scale
        most = -float("inf")
        total = 0.0
        sums = tl.zeros((DIM,), tl.float32)
        for first in range(part * TOKENS, tl.minimum(tokens, part * TOKENS + TOKENS), KEYS):
            token = first + tl.arange(0, KEYS)
            known = token < tokens
            where = tl.load(table + sequence * row + token // page, mask=known, other=0).to(tl.int64)
            start = ((where * page + token % page) * h + head) * d
            inside = known[:, None] & (c < d)[None, :]
            keys = tl.load(k_pages + start[:, None] + c[None, :], mask=inside, other=0.0).to(tl.float32)
            scores = tl.where(known, tl.sum(keys * own[None, :], axis=1), -float("inf"))
            highest = tl.maximum(most, tl.max(scores, axis=0))
            old = tl.exp(most - highest)
            weights = tl.exp(scores - highest)
            total = total * old + tl.sum(weights, axis=0)
            values = tl.load(v_pages + start[:, None] + c[None, :], mask=inside, other=0.0).to(tl.float32)
            sums = sums * old + tl.sum(values * weights[:, None], axis=0)
            most = highest
        mine = (sequence * h + head) * tl.num_programs(1) + part
        tl.store(maxima + mine, most)
        tl.store(totals + mine, total)
        tl.store(found + mine.to(tl.int64) * d + c, sums, mask=c < d)


@triton.jit
def merge(maxima, totals, found, length, o, h, d, parts, TOKENS: tl.constexpr, DIM: tl.constexpr):
    head = tl.program_id(0)
    sequence = tl.program_id(1)
    c = tl.arange(0, DIM)
    first = (sequence * h + head) * parts
    most = -float("inf")
    total = 0.0
    sums = tl.zeros((DIM,), tl.float32)
    for part in range(0, tl.cdiv(tl.load(length + sequence), TOKENS)):
        found_most = tl.load(maxima + first + part)
        highest = tl.maximum(most, found_most)
        old = tl.exp(most - highest)
        share = tl.exp(found_most - highest)
        total = total * old + share * tl.load(totals + first + part)
        values = tl.load(found + (first + part).to(tl.int64) * d + c, mask=c < d, other=0.0)
        sums = sums * old + share * values
        most = highest
    tl.store(o + (sequence * h + head) * d + c, sums / total, mask=c < d)


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
    tokens = 256
    parts = triton.cdiv(row * page, tokens)
    dim = triton.next_power_of_2(d)
    maxima = torch.empty(b * h * parts, dtype=torch.float32, device=q.device)
    totals = torch.empty(b * h * parts, dtype=torch.float32, device=q.device)
    found = torch.empty(b * h * parts * d, dtype=torch.float32, device=q.device)
    attend_part[(h, parts, b)](
        q,
        k_pages,
        v_pages,
        table,
        length,
        maxima,
        totals,
        found,
        h,
        d,
        page,
        row,
        d**-0.5,
        TOKENS=tokens,
        KEYS=64,
        DIM=dim,
    )
    merge[(h, b)](maxima, totals, found, length, o, h, d, parts, TOKENS=tokens, DIM=dim)
