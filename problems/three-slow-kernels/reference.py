"""Squares of a matrix, transposed, and their sums by rows."""


def generate(xp, rng, size):
    x = rng.uniform(0.25, 2, (size["rows"], size["cols"]))
    return {"x": xp.where(rng.random(x.shape) < 0.5, x, -x)}


def reference(xp, x, rows, cols):
    power = x * x
    return {"y": power.T.copy(), "energy": power.sum(axis=1)}
