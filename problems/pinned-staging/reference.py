"""Squares of uniform numbers."""


def generate(xp, rng, size):
    return {"x": rng.uniform(-100, 100, size["n"])}


def reference(xp, x, n):
    return {"y": x * x}
