"""Sorting floats: all signs and sizes, with duplicates, both zeros and the largest numbers there are."""


def generate(xp, rng, size):
    n = size["n"]
    values = 1000 * rng.standard_normal(n, dtype=xp.float32)
    kind = rng.integers(0, 1024, n)
    values = xp.where(kind < 128, xp.rint(values), values)  # duplicates
    values = xp.where((kind >= 128) & (kind < 192), values * xp.float32(1e30), values)
    values = xp.where((kind >= 192) & (kind < 256), values * xp.float32(1e-30), values)
    values = xp.where(kind == 1020, xp.float32(0.0), values)
    values = xp.where(kind == 1021, xp.float32(-0.0), values)
    largest = xp.finfo(xp.float32).max
    values = xp.where(kind == 1022, xp.float32(largest), values)
    values = xp.where(kind == 1023, xp.float32(-largest), values)
    return {"data": values}


def reference(xp, data, n):
    return {"data": xp.sort(data)}
