"""Ordinary activations, and some that are so large that the exponential of the argument is infinite."""

SCALE = 0.7978845608028654  # the square root of 2 / pi
CUBIC = 0.044715
CHUNK = 1 << 24  # elements at a time: a timed case has many


def generate(xp, rng, size):
    n = size["n"]
    x = rng.standard_normal(n, dtype=xp.float32)
    x *= 2
    x = xp.where(rng.random(n, dtype=xp.float32) < 0.02, 12 * x, x)
    return {"x": x, "dy": rng.standard_normal(n, dtype=xp.float32)}


def reference(xp, x, dy, n):
    y, dx = xp.empty_like(x), xp.empty_like(x)
    for first in range(0, n, CHUNK):
        part = slice(first, first + CHUNK)
        v = x[part]
        tangent = xp.tanh(SCALE * (v + CUBIC * v * v * v))
        half = 0.5 * (1 + tangent)
        y[part] = v * half
        # 1 - tanh^2 is 4 h (1 - h) with h = (1 + tanh) / 2.
        slope = 2 * half * (1 - half) * SCALE * (1 + 3 * CUBIC * v * v)
        dx[part] = dy[part] * (half + v * slope)
    return {"y": y, "dx": dx}
