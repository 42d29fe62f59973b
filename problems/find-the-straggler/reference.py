"""Who begins an all-reduce last and by how much, and how long communication outlasts computing."""

PERIOD = 1_000_000_019  # ns per step
UNIT = 101  # ns, so that differences of times need more than 24 bits


def generate(xp, rng, size):
    ranks, steps = size["ranks"], size["steps"]
    begin = rng.integers(0, 100_000, (ranks, steps))
    if ranks >= 4:
        who = xp.argsort(rng.random(ranks - 1))
        straggler = ranks - 1 if ranks % 2 else who[2]
        # One rank is often last by little. Two are very late, but together. One is rarely last, but by much.
        begin[ranks // 2] += xp.where(rng.random(steps) < 0.5, 200_000, 0)
        begin[who[:2]] += xp.where(rng.random(steps) < 0.3, 3_000_000, 0)
        begin[straggler] += xp.where(rng.random(steps) < 0.1, 5_000_000, 0)
    # In some steps, another rank starts together with the last one. Then no rank delays the step.
    at = xp.arange(steps)
    other = rng.integers(0, ranks, steps)
    begin[other, at] = xp.where(rng.random(steps) < 0.1, begin.max(axis=0), begin[other, at])
    computed = begin + rng.integers(0, 700_000, (ranks, steps))
    # The all-reduce ends on all ranks at nearly the same time, before or after the last rank has computed.
    ended = begin.max(axis=0) + rng.integers(100_000, 1_300_000, steps)
    ended = ended + rng.integers(0, 30_000, (ranks, steps))
    start = 10**12 + rng.integers(1, 10**9) + PERIOD * (xp.arange(steps) % 90_000)
    return {"t": UNIT * xp.stack([begin, computed, ended], axis=2) + start[None, :, None]}


def reference(xp, t, ranks, steps):
    begin = t[:, :, 0]
    in_order = xp.sort(begin, axis=0)
    gap = in_order[-1] - in_order[-min(2, ranks)]
    delay = xp.bincount(begin.argmax(axis=0), weights=gap, minlength=ranks)
    exposed = xp.maximum(t[:, :, 2].max(axis=0) - t[:, :, 1].max(axis=0), 0)
    return {"delay": delay, "rank": delay.argmax().reshape(1), "exposed": exposed}
