"""Least significant digit first: eight stable passes over 4-bit digits.

What bounds it: DRAM bandwidth. A pass reads the keys twice, to count and to move them, and writes them
once, 96 bytes per element altogether, whatever n is. In a block a table with one column per digit holds
ones; its cumulative sum down the columns ranks the elements of a digit in their order, which keeps the
sort stable.
"""

import torch
import triton
import triton.language as tl

BLOCK = 2048
SCAN_BLOCK = 4096


@triton.jit
def digit_of(value, shift):
    # Flip the sign bit of positive numbers and all bits of negative ones: the order of unsigned integers.
    bits = value.to(tl.int32, bitcast=True)
    key = bits ^ ((bits >> 31) | -2147483648)
    return (key >> shift) & 15


@triton.jit
def count_digits(keys, counts, n, blocks, shift, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    at = block.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    digit = digit_of(tl.load(keys + at, mask=at < n, other=0.0), shift)
    column = tl.arange(0, 16)
    ones = ((digit[:, None] == column[None, :]) & (at < n)[:, None]).to(tl.int32)
    tl.store(counts + column * blocks + block, tl.sum(ones, axis=0))


@triton.jit
def scan_counts(counts, starts, count, SCAN_BLOCK: tl.constexpr):
    before = tl.zeros((1,), tl.int32)
    for first in range(0, count, SCAN_BLOCK):
        at = first + tl.arange(0, SCAN_BLOCK)
        value = tl.load(counts + at, mask=at < count, other=0)
        tl.store(starts + at, before + tl.cumsum(value, axis=0) - value, mask=at < count)
        before += tl.sum(value, axis=0)


@triton.jit
def move_keys(source, target, starts, n, blocks, shift, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    at = block.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(source + at, mask=inside, other=0.0)
    digit = digit_of(value, shift)
    ones = ((digit[:, None] == tl.arange(0, 16)[None, :]) & inside[:, None]).to(tl.int32)
    rank = tl.sum(ones * tl.cumsum(ones, axis=0), axis=1) - 1
    start = tl.load(starts + digit * blocks + block, mask=inside, other=0)
    tl.store(target + start + rank, value, mask=inside)


def solve(data: torch.Tensor, n: int) -> None:
    blocks = triton.cdiv(n, BLOCK)
    source, target = data, torch.empty_like(data)
    counts = torch.empty(16 * blocks, dtype=torch.int32, device=data.device)
    starts = torch.empty_like(counts)
    for shift in range(0, 32, 4):  # an even number of passes: the last one writes to data
        count_digits[(blocks,)](source, counts, n, blocks, shift, BLOCK=BLOCK, num_warps=16)
        scan_counts[(1,)](counts, starts, 16 * blocks, SCAN_BLOCK=SCAN_BLOCK, num_warps=8)
        move_keys[(blocks,)](source, target, starts, n, blocks, shift, BLOCK=BLOCK, num_warps=16)
        source, target = target, source
