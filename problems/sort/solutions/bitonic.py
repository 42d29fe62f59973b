"""A bitonic sorting network, one launch per pass.

What bounds it: memory traffic. For n elements there are log2(n) (log2(n) + 1) / 2 passes, each of which
reads everything and writes what changed; 2^20 elements take 210 passes. Every comparator puts the
smaller element first, so absent elements behave like +infinity at the end, and comparators beyond n are
masked.
"""

import torch
import triton
import triton.language as tl

BLOCK = 16384


@triton.jit
def order(data, low, high, n):
    inside = high < n
    a = tl.load(data + low, mask=inside)
    b = tl.load(data + high, mask=inside)
    swap = inside & (b < a)
    tl.store(data + low, b, mask=swap)
    tl.store(data + high, a, mask=swap)


@triton.jit
def mirrored_pass(data, n, half, BLOCK: tl.constexpr):
    p = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    group = p // half * half * 2
    t = p % half
    order(data, group + t, group + 2 * half - 1 - t, n)


@triton.jit
def shifted_pass(data, n, distance, BLOCK: tl.constexpr):
    p = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    low = p // distance * distance * 2 + p % distance
    order(data, low, low + distance, n)


def solve(data: torch.Tensor, n: int) -> None:
    padded = triton.next_power_of_2(n)
    grid = (triton.cdiv(max(1, padded // 2), BLOCK),)
    size = 2
    while size <= padded:
        mirrored_pass[grid](data, n, size // 2, BLOCK=BLOCK, num_warps=16)
        distance = size // 4
        while distance > 0:
            shifted_pass[grid](data, n, distance, BLOCK=BLOCK, num_warps=16)
            distance //= 2
        size *= 2
