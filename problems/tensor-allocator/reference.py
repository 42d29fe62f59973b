"""Traces that allocate and free tensors, with sizes over four decades, and their placement by best fit."""

MOST = 31  # live tensors of a trace
FAR = 1 << 60


def generate(xp, rng, size):
    traces, events = size["traces"], size["events"]
    rows = xp.arange(traces)
    op = xp.full((traces, events), -1, dtype=xp.int32)
    live = xp.zeros((traces, events), dtype=bool)
    sizes = xp.exp2(rng.uniform(17, 32, (traces, events))).astype(xp.int64)
    usual = rng.integers(2, MOST + 1, traces)  # a trace has mostly this many live tensors or fewer
    for event in range(events):
        count = live.sum(axis=1)
        frees = (rng.random(traces) * usual < 0.8 * count) & (count > 0) | (count == MOST)
        chosen = xp.argmax(rng.random((traces, events)) * live, axis=1)
        op[:, event] = xp.where(frees, chosen, -1)
        live[rows, chosen] &= ~frees
        live[:, event] = ~frees
    return {"op": op, "bytes": xp.where(op < 0, sizes, 0)}


def reference(xp, op, bytes, traces, events):
    rows = xp.arange(traces)
    need = (bytes + 511) // 512 * 512
    offset = xp.full((traces, events), -1, dtype=xp.int64)
    begin = xp.full((traces, events), FAR, dtype=xp.int64)  # of live tensors, by their event
    end = xp.full((traces, events), FAR, dtype=xp.int64)
    for event in range(events):
        freed = op[:, event]
        new = freed < 0
        at = xp.maximum(freed, 0)
        begin[rows, at] = xp.where(new, begin[rows, at], FAR)
        end[rows, at] = xp.where(new, end[rows, at], FAR)
        order = xp.argsort(begin, axis=1)
        below = xp.zeros((traces, events), dtype=xp.int64)  # where the gap below each tensor begins
        below[:, 1:] = xp.take_along_axis(end, order, axis=1)[:, :-1]
        gap = xp.take_along_axis(begin, order, axis=1) - below
        fits = (gap >= need[:, event, None]) & (below < FAR)
        best = xp.argmin(xp.where(fits, gap, 2 * FAR), axis=1)
        chosen = below[rows, best]
        offset[:, event] = xp.where(new, chosen, -1)
        begin[:, event] = xp.where(new, chosen, FAR)
        end[:, event] = xp.where(new, chosen + need[:, event], FAR)
    return {"offset": offset}
