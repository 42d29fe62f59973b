"""Radix select with digits of four bits. A block compares its digits with all sixteen values and adds up the columns.

Bound by memory and comparisons: sixteen passes of 4 bytes and 16 comparisons per weight.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def keys_of(w, at, inside):
    magnitude = tl.load(w + at, mask=inside, other=0.0).to(tl.int32, bitcast=True) & 0x7FFFFFFF
    return (magnitude.to(tl.int64) << 32) + (4294967295 - at.to(tl.int64))


@triton.jit
def count(w, state, bins, n, shift, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    key = keys_of(w, at, at < n)
    candidate = (at < n) & ((key >> shift >> 4) == tl.load(state))
    digit = tl.where(candidate, (key >> shift) & 15, -1)
    value = tl.arange(0, 16)
    found = (digit[:, None] == value[None, :]).to(tl.int32)
    tl.atomic_add(bins + value, tl.sum(found, axis=0))


@triton.jit
def choose(state, bins):
    value = tl.arange(0, 16)
    counts = tl.load(bins + value).to(tl.int64)
    places = tl.load(state + 1)
    # How many keys have this digit or a greater one.
    reach = tl.sum(tl.where(value[None, :] >= value[:, None], counts[None, :], 0), axis=1)
    digit = tl.max(tl.where(reach >= places, value, 0), axis=0)
    above = tl.sum(tl.where(value > digit, counts, 0), axis=0)
    tl.store(state, tl.load(state) * 16 + digit)
    tl.store(state + 1, places - above)
    tl.store(bins + value, value * 0)


@triton.jit
def mark(w, state, mask, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kept = keys_of(w, at, at < n) >= tl.load(state)
    tl.store(mask + at, kept.to(tl.uint8), mask=at < n)


def solve(w: torch.Tensor, mask: torch.Tensor, n: int, keep: int) -> None:
    state = torch.tensor([0, keep], dtype=torch.int64, device=w.device)  # the prefix, and the places left
    bins = torch.zeros(16, dtype=torch.int32, device=w.device)
    for shift in range(60, -1, -4):
        count[(triton.cdiv(n, 2048),)](w, state, bins, n, shift, BLOCK=2048, num_warps=8)
        choose[(1,)](state, bins)
    mark[(triton.cdiv(n, 8192),)](w, state, mask, n, BLOCK=8192, num_warps=8)
