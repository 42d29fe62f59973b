"""alpha x + y over uniform numbers."""


def generate(xp, rng, size):
    n = size["n"]
    return {"x": rng.uniform(-100, 100, n), "y": rng.uniform(-100, 100, n)}


def reference(xp, x, y, alpha, n):
    return {"y": alpha * x + y}
