"""Busy, overlapping and idle time of intervals that are sorted by their starts.

At any time, the intervals that have started are a prefix. At least one stream is active as long as the latest
end of that prefix lies ahead, and at least two as long as the second latest does. Each stream counts with
its latest end.
"""

ROW = 1024
STEP = 500_001  # ns, a unit that is no power of two: sums of such times need more than 24 bits
LONGEST = 2_000 * STEP


def generate(xp, rng, size):
    n = size["n"]
    gaps = rng.integers(0, 121 * STEP, n)
    start = 10**12 + rng.integers(1, 10**9) + xp.cumsum(gaps)
    # Many short intervals and a few that contain hundreds of others; a quarter touch the next one exactly.
    dur = xp.minimum(xp.floor(8 * STEP / (1 - rng.random(n)) ** 0.9), LONGEST)
    following = xp.concatenate([gaps[1:], gaps[:1]])
    dur = xp.where(rng.random(n) < 0.25, xp.maximum(following, 1), dur)
    return {"start": start, "dur": dur, "stream": rng.integers(0, size["streams"], n)}


def running_max(xp, values):
    """The greatest of each element and all before it, by log2(ROW) passes over rows and a scan of totals."""
    n = len(values)
    table = xp.zeros((-(-n // ROW), ROW))
    table.reshape(-1)[:n] = values
    shift = 1
    while shift < ROW:
        table[:, shift:] = xp.maximum(table[:, shift:], table[:, :-shift])
        shift *= 2
    if len(table) > 1:
        before = running_max(xp, table[:-1, -1])
        table[1:] = xp.maximum(table[1:], before[:, None])
    return table.reshape(-1)[:n]


def reference(xp, start, dur, stream, n, streams):
    end = start + dur
    latest, second = xp.zeros(n), xp.zeros(n)
    for one in range(streams):
        own = running_max(xp, xp.where(stream == one, end, 0.0))
        second = xp.maximum(second, xp.minimum(latest, own))
        latest = xp.maximum(latest, own)
    until = xp.concatenate([start[1:], latest[-1:]])
    busy = xp.maximum(xp.minimum(until, latest) - start, 0).sum()
    overlap = xp.maximum(xp.minimum(until, second) - start, 0).sum()
    return {
        "busy": busy.reshape(1),
        "overlap": overlap.reshape(1),
        "idle": (latest[-1] - start[0] - busy).reshape(1),
    }
