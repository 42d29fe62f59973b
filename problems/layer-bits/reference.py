"""The least error within a budget of memory, by dynamic programming over units of 1024 bytes."""

UNIT = 4096  # weights, which take a unit with two bits each
UNITS = 256  # what a budget has beyond two bits everywhere is less
EXTRA = (0, 1, 3, 7)  # units of 2, 4, 8 and 16 bits beyond those of two bits, for each unit of the size


def generate(xp, rng, size):
    models, layers = size["models"], size["layers"]
    units = 1 + (7 * rng.random((models, layers)) ** 2).astype(xp.int64)
    # Most layers gain much by the first step. Some gain nearly nothing before 8 bits.
    left = xp.exp(-4 * rng.random((models, layers, 3)))
    late = rng.random((models, layers)) < 0.3
    left[..., 0] = xp.where(late, 0.9 + 0.1 * left[..., 0], left[..., 0])
    left[..., 1] = xp.where(late, 0.02 + 0.1 * left[..., 1], left[..., 1])
    err = xp.empty((models, layers, 4))
    err[..., 0] = xp.exp(1.5 * rng.standard_normal((models, layers))) * units**0.5
    for step in range(3):
        err[..., step + 1] = err[..., step] * left[..., step]
    err = xp.clip(err, 1e-5, 1e5)
    share = 0.05 + 0.6 * rng.random(models)
    extra = xp.minimum((7 * units.sum(axis=1) * share).astype(xp.int64), UNITS - 1)
    budget = 1024 * (units.sum(axis=1) + extra) + rng.integers(0, 1024, models)
    return {"err": err, "size": UNIT * units, "budget": budget}


def reference(xp, err, size, budget, models, layers):
    units = size // UNIT
    extra = budget // 1024 - units.sum(axis=1)
    place = xp.arange(UNITS)
    least = xp.zeros((models, UNITS))  # the least error of the layers so far, with at most so many units
    choice = xp.empty((layers, models, UNITS), dtype=xp.int8)
    for layer in range(layers):
        best = xp.full((models, UNITS), xp.inf)
        for column, more in enumerate(EXTRA):
            before = place - more * units[:, layer, None]
            total = xp.take_along_axis(least, xp.maximum(before, 0), axis=1) + err[:, layer, column, None]
            better = (before >= 0) & (total < best)
            best = xp.where(better, total, best)
            choice[layer] = xp.where(better, column, choice[layer])
        least = best
    bits = xp.empty((models, layers), dtype=xp.int32)
    rows, left = xp.arange(models), extra
    for layer in range(layers - 1, -1, -1):
        column = choice[layer, rows, left].astype(xp.int64)
        bits[:, layer] = 2 << column
        left = left - ((1 << column) - 1) * units[:, layer]
    return {"bits": bits}
