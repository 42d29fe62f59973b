"""Running balance."""


def generate(xp, rng, size):
    return {"amounts": rng.integers(-9, 10, size["n"])}


def reference(xp, amounts, n):
    return {"balance": xp.cumsum(amounts, dtype=xp.int64)}
