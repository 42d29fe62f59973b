"""Sum of squares."""


def generate(xp, rng, size):
    n = size["n"]
    sign = xp.where(rng.random(n) < 0.5, -1.0, 1.0)
    return {"input": sign * rng.uniform(0.5, 1.5, n)}


def reference(xp, input, n):
    return {"output": xp.sum(input * input).reshape(1)}
