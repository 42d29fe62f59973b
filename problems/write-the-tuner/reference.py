"""Times of kernels with four parameters: an effect of each level, of each pair of levels, and a cliff.

Beyond a limit, which differs from table to table, three parameters together need too many registers.
"""


def digits(xp, levels):
    index = xp.arange(levels**4)
    return [index // levels**p % levels for p in range(4)]


def generate(xp, rng, size):
    tables, levels = size["tables"], size["levels"]
    level = digits(xp, levels)
    log = xp.zeros((tables, levels**4))
    for p in range(4):
        log += 0.35 * rng.standard_normal((tables, levels))[:, level[p]]
        for q in range(p):
            pair = rng.standard_normal((tables, levels * levels))
            log += 0.12 * pair[:, level[p] * levels + level[q]]
    limit = rng.integers(levels, 2 * levels, (tables, 1))
    log += 0.8 * (level[0] + level[1] + level[3] > limit)
    noise = 0.03 * rng.standard_normal((tables, levels**4, 8))
    return {"time": xp.exp(log[:, :, None] + noise)}


def reference(xp, time, tables, levels):
    return {"best": time.mean(axis=2).argmin(axis=1).astype(xp.int32)}
