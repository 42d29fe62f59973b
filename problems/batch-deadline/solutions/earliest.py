"""The mirror image: the earliest times at which the GPU can be free, and then the largest batches from the end.

Bound by latency. The numbers count from the end, so a second kernel turns them round.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def plan(arrive, cost, slo, batch, counts, scratch, traces, n, most, LANES: tl.constexpr):
    trace = tl.program_id(0) * LANES + tl.arange(0, LANES)
    mine = trace < traces
    at = arrive + trace.to(tl.int64) * n
    out = batch + trace.to(tl.int64) * n
    free_from = scratch + trace  # row i holds the times after i requests, and row 0 is zero
    limit = tl.load(slo)
    far = tl.full((LANES,), 1e15, tl.float64)
    for count in range(1, n + 1):
        last = tl.load(at + count - 1, mask=mine, other=0.0)
        earliest = far
        for size in range(1, tl.minimum(most, count) + 1):
            before = tl.load(free_from + (count - size) * traces, mask=mine, other=0.0)
            end = tl.maximum(before, last) + tl.load(cost + size - 1)
            in_time = end <= tl.load(at + count - size, mask=mine, other=0.0) + limit
            earliest = tl.where(in_time, tl.minimum(earliest, end), earliest)
        tl.store(free_from + count * traces, earliest, mask=mine)

    until = far
    left = tl.zeros((LANES,), tl.int32)
    number = tl.full((LANES,), -1, tl.int32)
    for k in range(0, n):
        count = n - k
        opens = mine & (left == 0)
        last = tl.load(at + count - 1, mask=mine, other=0.0)
        chosen = tl.full((LANES,), 1, tl.int32)
        begin = until
        for size in range(1, tl.minimum(most, count) + 1):
            due = tl.load(at + count - size, mask=opens, other=0.0) + limit
            latest = tl.minimum(until, due) - tl.load(cost + size - 1)
            before = tl.load(free_from + (count - size) * traces, mask=opens, other=0.0)
            fits = latest >= tl.maximum(before, last)
            chosen = tl.where(fits, size, chosen)
            begin = tl.where(fits, latest, begin)
        until = tl.where(opens, begin, until)
        left = tl.where(opens, chosen, left) - 1
        number += tl.where(opens, 1, 0)
        tl.store(out + count - 1, number, mask=mine)
    tl.store(counts + trace, number, mask=mine)


@triton.jit
def turn(batch, counts, n, total, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = place < total
    number = tl.load(batch + place, mask=inside, other=0)
    count = tl.load(counts + place // n, mask=inside, other=0)
    tl.store(batch + place, count - number, mask=inside)


def solve(
    arrive: torch.Tensor,
    cost: torch.Tensor,
    slo: torch.Tensor,
    batch: torch.Tensor,
    traces: int,
    n: int,
    most: int,
) -> None:
    scratch = torch.zeros((n + 1) * traces, dtype=torch.float64, device=arrive.device)
    counts = torch.empty(traces, dtype=torch.int32, device=arrive.device)
    plan[(triton.cdiv(traces, 256),)](arrive, cost, slo, batch, counts, scratch, traces, n, most, LANES=256)
    turn[(triton.cdiv(traces * n, 1024),)](batch, counts, n, traces * n, BLOCK=1024)
