"""Sums of blocks, a scan of these by one program, and scans of blocks that begin with what stands before them.

Bound by memory traffic: the input is read twice.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_blocks(amounts, totals, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(totals + tl.program_id(0), tl.sum(tl.load(amounts + at, mask=at < n, other=0), axis=0))


@triton.jit
def scan_totals(totals, before, count, BLOCK: tl.constexpr):
    carry = 0
    for first in range(0, count, BLOCK):
        at = first + tl.arange(0, BLOCK)
        values = tl.load(totals + at, mask=at < count, other=0)
        tl.store(before + at, carry + tl.cumsum(values, axis=0) - values, mask=at < count)
        carry += tl.sum(values, axis=0)


@triton.jit
def scan_blocks(amounts, before, balance, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(amounts + at, mask=at < n, other=0)
    tl.store(balance + at, tl.load(before + tl.program_id(0)) + tl.cumsum(values, axis=0), mask=at < n)


def solve(amounts: torch.Tensor, balance: torch.Tensor, n: int) -> None:
    blocks = triton.cdiv(n, 4096)
    totals, before = torch.empty((2, blocks), dtype=torch.int32, device=amounts.device)
    add_blocks[(blocks,)](amounts, totals, n, BLOCK=4096)
    scan_totals[(1,)](totals, before, blocks, BLOCK=1024)
    scan_blocks[(blocks,)](amounts, before, balance, n, BLOCK=4096)
