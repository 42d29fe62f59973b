"""The percentile by histograms of four digits, and all candidates for a chunk in one program.

What bounds it: arithmetic. x is read six times: for the maximum, for four digits of eight bits, and once for all
candidates, whose codes are computed from the same registers. A cumulative sum over 256 counts finds the next digit.
"""

import torch
import triton
import triton.language as tl

CHUNK, CANDIDATES = 4096, 32


@triton.jit
def count_digits(x, top, selected, counts, n, shift, CHUNK: tl.constexpr):
    at = tl.program_id(0) * CHUNK + tl.arange(0, CHUNK)
    bits = tl.load(x + at, mask=at < n, other=0.0).to(tl.int32, bitcast=True) & 0x7FFFFFFF
    if shift == 24:
        tl.atomic_max(top, tl.max(bits, axis=0))
        same = at < n
    else:
        same = (at < n) & ((bits >> (shift + 8)) == (tl.load(selected) >> (shift + 8)))
    digit = tl.arange(0, 256)
    found = tl.histogram((bits >> shift) & 255, 256, mask=same)
    tl.atomic_add(counts + digit, found, mask=found > 0)


@triton.jit
def choose_digit(selected, counts, rank, shift):
    digit = tl.arange(0, 256)
    count = tl.load(counts + digit)
    upto = tl.cumsum(count, axis=0)
    wanted = tl.load(rank)
    chosen = tl.sum((upto < wanted).to(tl.int32), axis=0)
    before = tl.sum(tl.where(digit < chosen, count, 0), axis=0)
    tl.store(selected, tl.load(selected) | (chosen << shift))
    tl.store(rank, wanted - before)
    tl.store(counts + digit, tl.zeros((256,), tl.int32))


@triton.jit
def add_errors(x, top, errors, n, CHUNK: tl.constexpr, CANDIDATES: tl.constexpr):
    at = tl.program_id(0) * CHUNK + tl.arange(0, CHUNK)
    values = tl.abs(tl.load(x + at, mask=at < n, other=0.0))
    greatest = tl.load(top).to(tl.float32, bitcast=True) / 127.0
    for candidate in range(CANDIDATES):
        step = greatest * (candidate + 1) / CANDIDATES
        code = tl.minimum(tl.floor(values / step + 0.5), 127.0)
        error = values - code * step
        tl.atomic_add(errors + candidate, tl.sum(error * error, axis=0))


@triton.jit
def finish(top, selected, errors, scale, CANDIDATES: tl.constexpr):
    best = tl.argmin(tl.load(errors + tl.arange(0, CANDIDATES)), axis=0)
    greatest = tl.load(top).to(tl.float32, bitcast=True) / 127.0
    tl.store(scale, greatest)
    tl.store(scale + 1, tl.load(selected).to(tl.float32, bitcast=True) / 127.0)
    tl.store(scale + 2, greatest * (best + 1) / CANDIDATES)


def solve(x: torch.Tensor, scale: torch.Tensor, n: int, rank: int) -> None:
    top = torch.zeros(1, dtype=torch.int32, device=x.device)
    selected = torch.zeros(1, dtype=torch.int32, device=x.device)
    counts = torch.zeros(256, dtype=torch.int32, device=x.device)
    left = torch.full((1,), rank, dtype=torch.int32, device=x.device)
    errors = torch.zeros(CANDIDATES, dtype=torch.float32, device=x.device)
    chunks = triton.cdiv(n, CHUNK)
    for shift in (24, 16, 8, 0):
        count_digits[(chunks,)](x, top, selected, counts, n, shift, CHUNK=CHUNK)
        choose_digit[(1,)](selected, counts, left, shift)
    add_errors[(chunks,)](x, top, errors, n, CHUNK=CHUNK, CANDIDATES=CANDIDATES)
    finish[(1,)](top, selected, errors, scale, CANDIDATES=CANDIDATES)
