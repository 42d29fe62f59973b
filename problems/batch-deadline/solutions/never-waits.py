"""Wrong: takes only requests that have arrived when the GPU becomes free. Batches are too small, because most requests of a good
batch arrive while its first ones wait. Waiting is worth its time as long as the oldest request can afford it.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def plan(arrive, cost, slo, batch, scratch, traces, n, most, LANES: tl.constexpr):
    trace = tl.program_id(0) * LANES + tl.arange(0, LANES)
    mine = trace < traces
    at = arrive + trace.to(tl.int64) * n
    out = batch + trace.to(tl.int64) * n
    free_by = scratch + trace  # row i holds the times before request i, and row n is infinite
    limit = tl.load(slo)
    far = tl.full((LANES,), 1e15, tl.float64)
    for k in range(0, n):
        i = n - 1 - k
        due = tl.load(at + i, mask=mine, other=0.0) + limit
        latest = -far
        for size in range(1, tl.minimum(most, n - i) + 1):
            after = tl.load(free_by + (i + size) * traces, mask=mine, other=0.0)
            start = tl.minimum(due, after) - tl.load(cost + size - 1)
            possible = start >= tl.load(at + i + size - 1, mask=mine, other=0.0)
            latest = tl.where(possible, tl.maximum(latest, start), latest)
        tl.store(free_by + i * traces, latest, mask=mine)

    # Each lane opens a batch when its last one is used up.
    now = tl.zeros((LANES,), tl.float64)
    left = tl.zeros((LANES,), tl.int32)
    number = tl.full((LANES,), -1, tl.int32)
    for i in range(0, n):
        opens = mine & (left == 0)
        due = tl.load(at + i, mask=mine, other=0.0) + limit
        chosen = tl.full((LANES,), 1, tl.int32)
        end = now
        for size in range(1, tl.minimum(most, n - i) + 1):
            last = tl.load(at + i + size - 1, mask=opens, other=0.0)
            possible = tl.maximum(now, last) + tl.load(cost + size - 1)
            after = tl.load(free_by + (i + size) * traces, mask=opens, other=0.0)
            fits = (possible <= tl.minimum(due, after)) & (last <= now)
            chosen = tl.where(fits, size, chosen)
            end = tl.where(fits, possible, end)
        now = tl.where(opens, end, now)
        left = tl.where(opens, chosen, left) - 1
        number += tl.where(opens, 1, 0)
        tl.store(out + i, number, mask=mine)


def solve(
    arrive: torch.Tensor,
    cost: torch.Tensor,
    slo: torch.Tensor,
    batch: torch.Tensor,
    traces: int,
    n: int,
    most: int,
) -> None:
    scratch = torch.full(((n + 1) * traces,), 1e15, dtype=torch.float64, device=arrive.device)
    plan[(triton.cdiv(traces, 256),)](arrive, cost, slo, batch, scratch, traces, n, most, LANES=256)
