"""Each job must be in time with the required probability, and all jobs together must be cheap.

The score is their cost against that of the reference.
"""

RULES = {"expensive": "All jobs together cost more than 1.05 times as much as in the judge's plan."}
INTERVALS = 6
MOST_WORK = 48
MOST_ATTEMPTS = 256
SURE = 0.95 - 1e-4  # programs may compute in float32


def check(xp, inputs, expected, got, size, tolerance):  # noqa: ARG001  # integers have no tolerance
    """Which jobs have a possible plan that is in time, and whether all jobs together cost too much."""
    slots = inputs["write"][:, None] + (1 << xp.arange(INTERVALS))
    success = inputs["survival"][:, None] ** slots
    need = attempts_needed(xp, success) * slots[..., None]
    each = inputs["price"][:, None] * slots / success
    work, plan = inputs["work"], got["plan"].astype(xp.int64)
    family, k = plan // 8, plan % 8
    right = (plan >= 0) & (family < size["families"]) & (k < INTERVALS)
    plan = xp.where(right, plan, 0)
    right &= need[plan // 8, plan % 8, pieces(work, plan % 8)] <= inputs["deadline"]
    cost = (each[plan // 8, plan % 8] * pieces(work, plan % 8)).sum()
    plan = expected["plan"].astype(xp.int64)
    best = (each[plan // 8, plan % 8] * pieces(work, plan % 8)).sum()
    broken = "expensive" if cost > 1.05 * best else None
    return {"plan": right}, float(cost / best), broken


def pieces(work, k):
    """Into how many pieces of 2^k slots each job is divided."""
    return (work + (1 << k) - 1) >> k


def attempts_needed(xp, success):
    """The least number of attempts that finish a number of pieces with the required probability."""
    done = xp.zeros((*success.shape, MOST_WORK + 1))
    done[..., 0] = 1.0
    need = xp.where(done >= SURE, 0, 1 << 20)
    for attempts in range(1, MOST_ATTEMPTS + 1):
        done[..., 1:] = success[..., None] * done[..., :-1] + (1 - success[..., None]) * done[..., 1:]
        need = xp.where((need > attempts) & (done >= SURE), attempts, need)
    return need
