"""Four vectors, one on each device. Afterwards each of them holds the sum of all."""


def generate(xp, rng, size):
    return {f"x{device}": rng.standard_normal(size["n"]) for device in range(4)}


def reference(xp, x0, x1, x2, x3, n):
    total = x0 + x1
    total += x2
    total += x3
    return {"x0": total, "x1": total.copy(), "x2": total.copy(), "x3": total.copy()}
