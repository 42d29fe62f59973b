"""Batches in the order of arrival: as large as possible, but early enough for all later requests.

All times are whole microseconds, so every sum is exact.
"""

FAR = float(1 << 52)


def generate(xp, rng, size):
    traces, n, most = size["traces"], size["n"], size["most"]
    step = rng.integers(100, 400, most)
    cost = rng.integers(1500, 4000) + xp.cumsum(step)
    slo = cost[-1] + rng.integers(500, 1200)
    # Draw a schedule, and then arrivals for which it keeps every deadline: each request arrives before its
    # batch starts, and at most `slo` before it ends. Arrivals in ascending order keep that.
    count = 1 + (rng.random((traces, n)) ** 1.3 * most).astype(xp.int64)
    pause = xp.where(rng.random((traces, n)) < 0.07, rng.integers(0, 20_000, (traces, n)), 0)
    spent = cost[count - 1]
    end = 10**12 + xp.cumsum(spent + pause, axis=1)
    begin_at = xp.cumsum(count, axis=1) - count  # the first request of each batch
    head = xp.zeros((traces, n), dtype=xp.int64)
    row, batch = xp.nonzero(begin_at < n)
    head[row, begin_at[row, batch]] = 1
    owner = xp.cumsum(head, axis=1) - 1
    rows = xp.arange(traces)[:, None]
    earliest = end[rows, owner] - slo
    latest = end[rows, owner] - spent[rows, owner]
    arrive = earliest + xp.floor(rng.random((traces, n)) * (latest - earliest + 1))
    return {"arrive": xp.sort(arrive, axis=1), "cost": cost, "slo": xp.asarray(slo).reshape(1)}


def latest_free(xp, arrive, cost, slo):
    """By when the GPU must be free before each request, so that it and all later ones are on time."""
    traces, n = arrive.shape
    most = len(cost)
    free = xp.full((traces, n + most), -FAR)
    free[:, n:] = FAR
    for i in range(n - 1, -1, -1):
        room = min(most, n - i)
        end = xp.minimum(arrive[:, i : i + 1] + slo, free[:, i + 1 : i + 1 + room])
        start = end - cost[:room]
        free[:, i] = xp.where(start >= arrive[:, i : i + room], start, -FAR).max(axis=1)
    return free


def reference(xp, arrive, cost, slo, traces, n, most):
    free = latest_free(xp, arrive, cost, slo)
    rows = xp.arange(traces)
    batch = xp.zeros((traces, n), dtype=xp.int32)
    now = xp.zeros(traces)
    left = xp.zeros(traces, dtype=xp.int64)  # requests that the batch still takes
    for i in range(n):
        room = min(most, n - i)
        opens = left == 0
        start = xp.maximum(now[:, None], arrive[:, i : i + room])
        end = start + cost[:room]
        fits = end <= xp.minimum(arrive[:, i : i + 1] + slo, free[:, i + 1 : i + 1 + room])
        chosen = room - 1 - fits[:, ::-1].argmax(axis=1)
        now = xp.where(opens, end[rows, chosen], now)
        left = xp.where(opens, chosen, left - 1)
        if i:
            batch[:, i] = batch[:, i - 1] + opens
    return {"batch": batch}
