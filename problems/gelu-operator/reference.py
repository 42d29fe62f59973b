"""Ordinary activations, and some that are so large that GELU is the identity or zero."""

SCALE = 0.7978845608028654  # the square root of 2 / pi
CUBIC = 0.044715
CHUNK = 1 << 11  # rows at a time: a timed case has many


def generate(xp, rng, size):
    m, n = size["m"], size["n"]
    x = rng.standard_normal((m, n), dtype=xp.float32)
    x = xp.where(rng.random((m, n), dtype=xp.float32) < 0.02, 8 * x, x)
    return {"x": x, "dy": rng.standard_normal((n, m), dtype=xp.float32)}


def reference(xp, x, dy, m, n):
    y, dx = xp.empty((n, m), x.dtype), xp.empty_like(x)
    for first in range(0, m, CHUNK):
        rows = slice(first, first + CHUNK)
        v = x[rows]
        half = 0.5 * (1 + xp.tanh(SCALE * (v + CUBIC * v * v * v)))
        y[:, rows] = (v * half).T
        # 1 - tanh^2 is 4 h (1 - h) with h = (1 + tanh) / 2.
        slope = half + v * 2 * half * (1 - half) * SCALE * (1 + 3 * CUBIC * v * v)
        dx[rows] = dy[:, rows].T * slope
    return {"y": y, "dx": dx}
