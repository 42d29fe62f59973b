"""Few requests may be late, and the GPU may work only a little longer than in the reference.

The score is the quotient of the two times.
"""

RULES = {
    "late": "More than 1 % of the requests are late.",
    "long": "The GPU works more than 1 / 0.95 times as long as in the judge's plan.",
}


def check(xp, inputs, expected, got, size, tolerance):  # noqa: ARG001  # integers have no tolerance
    """Which batch numbers are possible, and whether requests are late or the GPU works too long."""
    arrive, batch = inputs["arrive"], got["batch"].astype(xp.int64)
    head = xp.ones(batch.shape, dtype=bool)
    head[:, 1:] = batch[:, 1:] != batch[:, :-1]
    right = batch == xp.cumsum(head, axis=1) - 1
    late, worked, largest = simulate(xp, arrive, inputs["cost"], inputs["slo"], head)
    head[:, 1:] = expected["batch"][:, 1:] != expected["batch"][:, :-1]
    best = simulate(xp, arrive, inputs["cost"], inputs["slo"], head)[1]
    right &= largest <= size["most"]
    broken = "late" if 100 * late > arrive.size else "long" if 95 * worked > 100 * best else None
    return {"batch": right}, float(worked / best), broken


def simulate(xp, arrive, cost, slo, head):
    """How many requests are late, how long the GPU works, and the largest batch of each trace."""
    traces, n = arrive.shape
    now, worked, count = xp.zeros(traces), xp.zeros(traces), xp.zeros(traces, dtype=xp.int64)
    late, largest = 0, 0
    done = xp.zeros((traces, n))
    ends = xp.ones(head.shape, dtype=bool)
    ends[:, :-1] = head[:, 1:]
    for i in range(n):
        count = xp.where(head[:, i], 1, count + 1)
        time = cost[xp.minimum(count, len(cost)) - 1]
        after = xp.maximum(now, arrive[:, i]) + time
        now = xp.where(ends[:, i], after, now)
        worked += xp.where(ends[:, i], time, 0)
        done[:, i] = xp.where(ends[:, i], after, 0)
        largest = xp.maximum(largest, count)
    end = xp.zeros(traces)
    for i in range(n - 1, -1, -1):
        end = xp.where(ends[:, i], done[:, i], end)
        late = late + (end > arrive[:, i] + slo)
    return late.sum(), worked.sum(), largest[:, None]
