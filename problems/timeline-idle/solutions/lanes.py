"""Each lane of a program walks over a run of intervals, with the two latest ends of different streams.

Bound by memory: the runs are read twice, and neighbouring lanes read a run apart, so the cache must keep the lines
until the next steps use the rest of them.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def merged(a, s, b, end, owner, other):
    """Merge (a, s, b) with (end, owner, other)."""
    later = end > a
    high = tl.where(later, end, a)
    high_stream = tl.where(later, owner, s)
    low = tl.where(later, a, end)
    same = owner == s
    own_second = tl.where(later, other, b)
    low_second = tl.where(later, b, other)
    return high, high_stream, tl.maximum(own_second, tl.where(same, low_second, low))


@triton.jit
def summarise(start, dur, stream, totals, streams_of, n, run, count, LANES: tl.constexpr):
    lane = tl.program_id(0) * LANES + tl.arange(0, LANES)
    a = tl.zeros((LANES,), tl.float64)
    b = tl.zeros((LANES,), tl.float64)
    s = tl.full((LANES,), -1, tl.int32)
    for step in range(0, run):
        at = lane.to(tl.int64) * run + step
        inside = at < n
        end = tl.load(start + at, mask=inside, other=0.0) + tl.load(dur + at, mask=inside, other=0.0)
        owner = tl.load(stream + at, mask=inside, other=-1)
        a, s, b = merged(a, s, b, end, owner, end * 0)
    tl.store(totals + lane, a)
    tl.store(totals + count + lane, b)
    tl.store(streams_of + lane, s)


@triton.jit
def scan(totals, streams_of, count):
    a = tl.load(totals) * 0
    b = a
    s = tl.load(streams_of) * 0 - 1
    for i in range(0, count):
        end = tl.load(totals + i)
        other = tl.load(totals + count + i)
        owner = tl.load(streams_of + i)
        tl.store(totals + i, a)
        tl.store(totals + count + i, b)
        tl.store(streams_of + i, s)
        a, s, b = merged(a, s, b, end, owner, other)
    tl.store(totals + 2 * count, a)


@triton.jit
def add_up(start, dur, stream, totals, streams_of, sums, n, run, count, LANES: tl.constexpr):
    lane = tl.program_id(0) * LANES + tl.arange(0, LANES)
    a = tl.load(totals + lane)
    b = tl.load(totals + count + lane)
    s = tl.load(streams_of + lane)
    active = tl.zeros((LANES,), tl.float64)
    together = tl.zeros((LANES,), tl.float64)
    for step in range(0, run):
        at = lane.to(tl.int64) * run + step
        inside = at < n
        begin = tl.load(start + at, mask=inside, other=0.0)
        end = begin + tl.load(dur + at, mask=inside, other=0.0)
        owner = tl.load(stream + at, mask=inside, other=-1)
        following = tl.load(start + at + 1, mask=at + 1 < n, other=1e300)
        a, s, b = merged(a, s, b, end, owner, end * 0)
        active += tl.where(inside, tl.maximum(tl.minimum(following, a) - begin, 0.0), 0.0)
        together += tl.where(inside, tl.maximum(tl.minimum(following, b) - begin, 0.0), 0.0)
    tl.atomic_add(sums, tl.sum(active, axis=0))
    tl.atomic_add(sums + 1, tl.sum(together, axis=0))


@triton.jit
def finish(start, totals, sums, busy, overlap, idle, count):
    tl.store(busy, tl.load(sums))
    tl.store(overlap, tl.load(sums + 1))
    tl.store(idle, tl.load(totals + 2 * count) - tl.load(start) - tl.load(sums))


def solve(
    start: torch.Tensor,
    dur: torch.Tensor,
    stream: torch.Tensor,
    busy: torch.Tensor,
    overlap: torch.Tensor,
    idle: torch.Tensor,
    n: int,
    streams: int,
) -> None:
    run = n // 8192 + 128
    programs = triton.cdiv(triton.cdiv(n, run), 64)
    count = programs * 64
    totals = torch.empty(2 * count + 1, dtype=torch.float64, device=start.device)
    streams_of = torch.empty(count, dtype=torch.int32, device=start.device)
    sums = torch.zeros(2, dtype=torch.float64, device=start.device)
    summarise[(programs,)](start, dur, stream, totals, streams_of, n, run, count, LANES=64)
    scan[(1,)](totals, streams_of, count)
    add_up[(programs,)](start, dur, stream, totals, streams_of, sums, n, run, count, LANES=64)
    finish[(1,)](start, totals, sums, busy, overlap, idle, count)
