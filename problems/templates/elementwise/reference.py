"""Product of two vectors."""


def generate(xp, rng, size):
    n = size["n"]
    return {"a": rng.uniform(-10, 10, n), "b": rng.uniform(-10, 10, n)}


def reference(xp, a, b, n):
    return {"c": a * b}
