"""A smooth step of each element. The times are not known before: checker.py decides which are possible."""


def generate(xp, rng, size):
    return {"x": rng.uniform(-1, 1, size["n"])}


def reference(xp, x, n, rounds):
    return {"y": x * (1.5 - 0.5 * x * x), "ms": xp.ones(rounds)}
