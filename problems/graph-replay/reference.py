"""A damped chain of springs in a ring, with elements that stay within limits."""

HALF, DAMPING, LIMIT = 0.5, 0.99, 0.75


def generate(xp, rng, size):
    n = size["n"]
    return {"x": rng.uniform(-0.75, 0.75, n), "v": rng.uniform(-0.5, 0.5, n)}


def reference(xp, x, v, n, steps):
    for _ in range(int(steps)):
        force = xp.roll(x, 1) - 2 * x + xp.roll(x, -1)
        v = (v + HALF * force) * DAMPING
        x = xp.minimum(xp.maximum(x + HALF * v, -LIMIT), LIMIT)
    return {"x": x, "v": v}
