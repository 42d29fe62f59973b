"""Wrong: `keep` weights are removed and the others stay. A sparsity of 30 % and a density of 30 % are easily mixed
up; with half of the weights, both have the same number of ones.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def keys_of(w, at, inside, bits):
    magnitude = tl.load(w + at, mask=inside, other=0.0).to(tl.int32, bitcast=True) & 0x7FFFFFFF
    last = (tl.full((1,), 1, tl.int64) << bits) - 1
    return (magnitude.to(tl.int64) << bits) + (last - at)


@triton.jit
def count(w, state, n, bits, bit, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    candidate = tl.load(state) + (tl.full((1,), 1, tl.int64) << bit)
    reached = (keys_of(w, at, at < n, bits) >= candidate) & (at < n)
    tl.atomic_add(state + 1, tl.sum(reached.to(tl.int64), axis=0))


@triton.jit
def choose(state, keep, bit):
    enough = tl.load(state + 1) >= keep
    value = (tl.load(state) * 0 + 1) << bit
    tl.store(state, tl.load(state) + tl.where(enough, value, 0))
    tl.store(state + 1, 0)


@triton.jit
def mark(w, state, mask, n, bits, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kept = keys_of(w, at, at < n, bits) >= tl.load(state)
    tl.store(mask + at, kept.to(tl.uint8), mask=at < n)


def solve(w: torch.Tensor, mask: torch.Tensor, n: int, keep: int) -> None:
    bits = (n - 1).bit_length()
    state = torch.zeros(2, dtype=torch.int64, device=w.device)  # the threshold so far, and a count
    grid = (triton.cdiv(n, 8192),)
    for bit in range(30 + bits, -1, -1):
        count[grid](w, state, n, bits, bit, BLOCK=8192, num_warps=8)
        choose[(1,)](state, n - keep, bit)
    mark[grid](w, state, mask, n, bits, BLOCK=8192, num_warps=8)
