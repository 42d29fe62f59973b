"""Wrong: the busy time of each stream is right, and they are added. Where two streams run at once, the time counts
twice. With one stream the answer is right.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def latest_ends(start, dur, stream, latest, n, streams, CHUNK: tl.constexpr):
    at = tl.program_id(0) * CHUNK + tl.arange(0, CHUNK)
    end = tl.load(start + at, mask=at < n, other=0.0) + tl.load(dur + at, mask=at < n, other=0.0)
    owner = tl.load(stream + at, mask=at < n, other=-1)
    for one in range(0, streams):
        own = tl.max(tl.where(owner == one, end, 0.0), axis=0)
        tl.store(latest + one * tl.num_programs(0) + tl.program_id(0), own)


@triton.jit
def scan_chunks(latest, chunks, BLOCK: tl.constexpr):
    row = latest + tl.program_id(0) * chunks
    lane = tl.arange(0, BLOCK)
    before = tl.zeros((1,), tl.float64)
    for first in range(0, chunks, BLOCK):
        at = first + lane
        values = tl.load(row + at, mask=at < chunks, other=0.0)
        earlier = lane[None, :] < lane[:, None]
        own = tl.max(tl.where(earlier, values[None, :], 0.0), axis=1)
        tl.store(row + at, tl.maximum(own, before), mask=at < chunks)
        before = tl.maximum(before, tl.max(values, axis=0))


@triton.jit
def add_up(
    start, dur, stream, latest, sums, n, streams, chunks, CHUNK: tl.constexpr, BLOCK: tl.constexpr
):
    chunk = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    active = tl.zeros((BLOCK,), tl.float64)
    together = tl.zeros((BLOCK,), tl.float64)
    for first in range(0, CHUNK, BLOCK):
        at = chunk * CHUNK + first + lane
        inside = at < n
        begin = tl.load(start + at, mask=inside, other=0.0)
        end = begin + tl.load(dur + at, mask=inside, other=0.0)
        owner = tl.load(stream + at, mask=inside, other=-1)
        following = tl.load(start + at + 1, mask=at + 1 < n, other=1e300)
        a = tl.zeros((BLOCK,), tl.float64)
        b = tl.zeros((BLOCK,), tl.float64)
        for one in range(0, streams):
            place = latest + one * chunks + chunk
            before = tl.load(place)
            mine = tl.where(owner == one, end, 0.0)
            upto = lane[None, :] <= lane[:, None]
            own = tl.maximum(tl.max(tl.where(upto, mine[None, :], 0.0), axis=1), before)
            b = tl.maximum(b, tl.minimum(a, own))
            a = tl.maximum(a, own)
            active += tl.where(inside, tl.maximum(tl.minimum(following, own) - begin, 0.0), 0.0)
            tl.debug_barrier()
            tl.store(place, tl.maximum(before, tl.max(mine, axis=0)))  # for the next block of this chunk
            tl.debug_barrier()
        together += tl.where(inside, tl.maximum(tl.minimum(following, b) - begin, 0.0), 0.0)
    tl.atomic_add(sums, tl.sum(active, axis=0))
    tl.atomic_add(sums + 1, tl.sum(together, axis=0))


@triton.jit
def finish(start, latest, sums, busy, overlap, idle, streams, chunks):
    last = tl.load(latest + chunks - 1)
    for one in range(1, streams):
        last = tl.maximum(last, tl.load(latest + one * chunks + chunks - 1))
    tl.store(busy, tl.load(sums))
    tl.store(overlap, tl.load(sums + 1))
    tl.store(idle, last - tl.load(start) - tl.load(sums))


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
    chunks = triton.cdiv(n, 2048)
    latest = torch.empty(streams * chunks, dtype=torch.float64, device=start.device)
    sums = torch.zeros(2, dtype=torch.float64, device=start.device)
    latest_ends[(chunks,)](start, dur, stream, latest, n, streams, CHUNK=2048)
    scan_chunks[(streams,)](latest, chunks, BLOCK=64)
    add_up[(chunks,)](start, dur, stream, latest, sums, n, streams, chunks, CHUNK=2048, BLOCK=128)
    finish[(1,)](start, latest, sums, busy, overlap, idle, streams, chunks)
