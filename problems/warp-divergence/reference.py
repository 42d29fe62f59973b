"""Numbers between -1 and 1. About `common` per cent have the kind n % 4, the others share the rest."""


def generate(xp, rng, size):
    n = size["n"]
    frequent = n % 4
    other = (frequent + rng.integers(1, 4, n)) % 4
    return {
        "x": rng.uniform(-1, 1, n),
        "kind": xp.where(100 * rng.random(n) < size["common"], frequent, other),
    }


def reference(xp, x, kind, n):
    square = x * x
    y = xp.zeros_like(x)
    for power in range(11, -1, -1):  # kind 0
        y = y * x + 1 / (power + 1)
    fraction = xp.full_like(x, 7)
    for level in range(6, 0, -1):
        fraction = level + square / fraction
    y = xp.where(kind == 1, fraction, y)
    root = xp.ones_like(x)
    for level in range(6, 0, -1):
        root = (level + square * root) ** 0.5
    y = xp.where(kind == 2, root, y)
    before, chebyshev = xp.ones_like(x), x
    for _ in range(10):
        before, chebyshev = chebyshev, 2 * x * chebyshev - before
    return {"y": xp.where(kind == 3, chebyshev, y)}
