"""A server whose batch changes at every step. All traces advance together, each by one decision per round."""


def generate(xp, rng, size):
    traces, n, budget = size["traces"], size["n"], size["budget"]
    # Most requests need up to a quarter of the memory, and one in eight any part of it.
    large = rng.random((traces, n)) < 0.125
    need = 2 + (rng.random((traces, n)) * (xp.where(large, budget, max(2, budget // 4)) - 1)).astype(xp.int64)
    prompt = 1 + (rng.random((traces, n)) ** 1.5 * (need - 1)).astype(xp.int64)
    # Requests come faster than they can be answered, and sometimes pause.
    gap = rng.integers(0, 2 + budget // 64, (traces, n))
    pause = xp.where(rng.random((traces, n)) < 0.015, rng.integers(0, 2 * budget, (traces, n)), 0)
    arrive = xp.cumsum(gap + pause, axis=1)
    return {"arrive": arrive, "prompt": prompt, "answer": need - prompt}


def reference(xp, arrive, prompt, answer, traces, n, places, budget, chunk, patience):
    far = 1 << 30
    need = prompt + answer
    reading = (prompt + chunk - 1) // chunk
    rows, numbers = xp.arange(traces), xp.arange(n)
    now = xp.zeros(traces, dtype=xp.int32)
    taken = xp.zeros((traces, n), dtype=bool)
    first, last = xp.zeros((traces, n), dtype=xp.int32), xp.zeros((traces, n), dtype=xp.int32)
    ends = xp.full((traces, places), -1, dtype=xp.int32)  # the last step of what holds each place
    held = xp.zeros((traces, places), dtype=xp.int32)  # and its memory
    admitted = xp.zeros(traces, dtype=xp.int32)
    while int(admitted.min()) < n:
        busy = ends >= now[:, None]
        room = budget - xp.where(busy, held, 0).sum(axis=1)
        head = taken.argmin(axis=1)
        # All requests before the head have been admitted, so the others have passed it.
        patient = admitted - head < patience
        waits = ~taken & (arrive <= now[:, None]) & (need <= room[:, None])
        waits &= patient[:, None] | (numbers == head[:, None])
        chosen = waits.argmax(axis=1)
        takes = waits[rows, chosen] & ~busy.all(axis=1)

        row = xp.nonzero(takes)[0]
        number, place = chosen[row], busy[row].argmin(axis=1)
        taken[row, number] = True
        admitted[row] += 1
        first[row, number] = now[row] + reading[row, number] - 1
        last[row, number] = first[row, number] + answer[row, number] - 1
        ends[row, place] = last[row, number]
        held[row, place] = need[row, number]

        arrival = xp.where(arrive > now[:, None], arrive, far).min(axis=1)
        leaves = xp.where(busy, ends + 1, far).min(axis=1)
        now = xp.where(takes, now, xp.minimum(arrival, leaves)).astype(xp.int32)
    return {"first": first, "last": last}
