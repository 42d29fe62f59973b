"""Two sequential tests for each trace: failures against the old version, and latencies above its p99."""

UNIT = 10_000  # changes of a sum are logarithms in this unit, rounded


def limit_of(xp, old, warm):
    """The p99 of the old version's first latencies, by nearest rank."""
    return xp.sort(old[:, :warm], axis=1)[:, warm - warm // 100 - 1]


def generate(xp, rng, size):
    traces, n, warm = size["traces"], size["n"], size["warm"]
    tested = max(n - warm, 1)
    slow_rate = min((warm // 100 + 1) / (warm + 1), 0.25)
    draws = rng.random(4)
    worse = 1.5 + 2.5 * draws[0]  # a bad canary fails so many times as often as the old version
    slower = 1.5 + 1.5 * draws[1]
    errors = 0.01 + 0.09 * draws[2:]
    changes = [
        xp.log(2 * worse / (1 + worse)),
        -xp.log(2 / (1 + worse)),
        xp.log(slower),
        -xp.log((1 - slower * slow_rate) / (1 - slow_rate)),
        xp.log((1 - errors[1]) / errors[0]),
        xp.log((1 - errors[0]) / errors[1]),
    ]
    rules = xp.rint(UNIT * xp.stack([xp.asarray(change) for change in changes])).astype(xp.int32)
    # Multiples of the smallest change, so that sums often hit a border exactly.
    rules = xp.maximum((rules + rules[3] // 2) // rules[3], 1) * rules[3]
    if n == warm + 1:  # the only tested request can decide
        rules[4:] = xp.minimum(rules[:2], rules[2:4])

    usual = 8 + 56 * rng.random((traces, 1, 1))
    factor = 0.85 + 0.9 * rng.random((traces, 1)) ** 2
    lat = usual * xp.exp(0.5 * rng.standard_normal((traces, 2, n)))
    lat[:, 1] *= factor
    lat = lat.astype(xp.float32)
    # Some answers take exactly as long as the limit, which is not slower.
    tied = rng.random((traces, n)) < 0.02
    lat[:, 1] = xp.where(tied, limit_of(xp, lat[:, 0], warm)[:, None], lat[:, 1])

    fails = min(max(60 / tested, 0.01), 0.2)
    share = xp.full((traces, 2, 1), fails)
    share[:, 1, 0] *= 0.5 + 3.5 * rng.random(traces) ** 2
    ok = rng.random((traces, 2, n)) >= share
    return {"lat": lat, "ok": ok, "rules": rules}


def ended(xp, change, upper, lower):
    """Whether each row's sum reaches a border, at which place first, and whether it is the upper one."""
    sums = xp.cumsum(change, axis=1, dtype=xp.int32)
    reached = (sums >= upper) | (sums <= -lower)
    at = reached.argmax(axis=1)
    return reached.any(axis=1), at, sums[xp.arange(len(sums)), at] >= upper


def reference(xp, lat, ok, rules, traces, n, warm):
    if n == warm:
        return {
            "step": xp.full(traces, n, dtype=xp.int32),
            "verdict": xp.zeros(traces, dtype=xp.int32),
        }
    limit = limit_of(xp, lat[:, 0], warm)
    old_ok, new_ok = ok[:, 0, warm:] != 0, ok[:, 1, warm:] != 0
    failure = xp.where(old_ok & ~new_ok, rules[0], 0) - xp.where(new_ok & ~old_ok, rules[1], 0)
    latency = xp.where(lat[:, 1, warm:] > limit[:, None], rules[2], -rules[3])
    first = ended(xp, failure, rules[4], rules[5])
    second = ended(xp, latency, rules[4], rules[5])
    never = n - warm
    back = xp.minimum(
        xp.where(first[0] & first[2], first[1], never),
        xp.where(second[0] & second[2], second[1], never),
    )
    good = first[0] & ~first[2] & second[0] & ~second[2]
    at = xp.where(back < never, back, xp.where(good, xp.maximum(first[1], second[1]), never - 1))
    return {"step": warm + 1 + at, "verdict": xp.where(back < never, -1, good)}
