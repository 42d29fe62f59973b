"""The cheapest way to run each job in time: a family of machines and a time between checkpoints."""

INTERVALS = 6  # 1, 2, 4, 8, 16 and 32 slots
MOST_WORK = 48
MOST_ATTEMPTS = 256
LONGEST = 256  # slots until a deadline
SURE = 0.95


def generate(xp, rng, size):
    jobs, families = size["jobs"], size["families"]
    ordinary = 0.02 + 0.02 * rng.random()
    risk = rng.random(families)  # of a spot machine, and its discount
    price = ordinary * (0.6 - 0.4 * risk + 0.1 * rng.random(families))
    survival = xp.round(10_000 * xp.exp(-(0.002 * 40**risk))) / 10_000
    write = rng.integers(1, 4, families)
    price[0], survival[0] = ordinary, 1.0

    work = rng.integers(1, MOST_WORK + 1, jobs)
    slack = 1 + 3 * rng.random(jobs) ** 2 * (rng.random(jobs) < 0.9)
    deadline = xp.ceil(shortest(xp, work, write) * slack).astype(xp.int32)
    # Some jobs have a tempting plan that is in time with a probability of nearly 95 %.
    slots, success = options(xp, survival, write)
    chance = finished(xp, success)
    k = xp.arange(INTERVALS)[:, None]
    attempts = xp.arange(MOST_ATTEMPTS + 1)[:, None, None, None]
    nearly = (chance > 0.93) & (chance < 0.9498) & (xp.arange(MOST_WORK + 1) << k <= MOST_WORK)
    nearly &= attempts * slots[..., None] <= LONGEST
    tries, family, k, pieces = xp.nonzero(nearly)
    if len(tries):
        chosen = rng.integers(0, len(tries), jobs)
        tempted = rng.random(jobs) < 0.3
        work = xp.where(tempted, pieces[chosen] << k[chosen], work)
        close = tries[chosen] * slots[family[chosen], k[chosen]]
        deadline = xp.where(tempted, xp.maximum(close, shortest(xp, work, write)), deadline)
    return {"work": work, "deadline": deadline, "price": price, "survival": survival, "write": write}


def shortest(xp, work, write):
    """How many slots each job takes at least on the ordinary machine."""
    least = xp.full(work.shape, LONGEST)
    for k in range(INTERVALS):
        least = xp.minimum(least, ((work + (1 << k) - 1) >> k) * ((1 << k) + write[0]))
    return least


def options(xp, survival, write):
    """How many slots an attempt takes, and with what probability it succeeds, by family and interval."""
    slots = write[:, None] + (1 << xp.arange(INTERVALS))
    return slots, survival[:, None] ** slots


def finished(xp, success):
    """With what probability attempts finish pieces, as [attempts, family, interval, pieces]."""
    chance = xp.zeros((MOST_ATTEMPTS + 1, *success.shape, MOST_WORK + 1))
    chance[..., 0] = 1.0
    success = success[..., None]
    for attempts in range(1, MOST_ATTEMPTS + 1):
        before = chance[attempts - 1]
        chance[attempts, ..., 1:] = success * before[..., :-1] + (1 - success) * before[..., 1:]
    return chance


def reference(xp, work, deadline, price, survival, write, jobs, families):
    slots, success = options(xp, survival, write)
    enough = finished(xp, success) >= SURE
    need = xp.where(enough.any(axis=0), enough.argmax(axis=0) * slots[..., None], 2 * LONGEST)
    each = price[:, None] * slots / success
    plan = xp.zeros(jobs, dtype=xp.int32)
    least = xp.full(jobs, xp.inf)
    for family in range(families):
        for k in range(INTERVALS):
            pieces = (work + (1 << k) - 1) >> k
            cost = xp.where(need[family, k][pieces] <= deadline, each[family, k] * pieces, xp.inf)
            plan = xp.where(cost < least, 8 * family + k, plan)
            least = xp.minimum(least, cost)
    return {"plan": plan}
