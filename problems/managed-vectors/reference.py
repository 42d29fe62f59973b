"""Sums of uniform numbers."""


def generate(xp, rng, size):
    n = size["n"]
    return {"a": rng.uniform(-100, 100, n), "b": rng.uniform(-100, 100, n)}


def reference(xp, a, b, n):
    return {"c": a + b}
