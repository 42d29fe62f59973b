"""Exclusive prefix sums of numbers with magnitudes between 1 and 2, half of them negative.

The two numbers of each pair (0, 1), (2, 3), … have different signs, so the sums stay small. All numbers lie
above a step of float16 by less than half of it. Rounding to float16 therefore lowers every number, and these
errors add up. An element that is missing, doubled or shifted changes a sum by at least 1.
"""

STEP = 2.0**-10  # of float16, between 1 and 2


def generate(xp, rng, size):
    n = size["n"]
    first = xp.where(rng.random((n + 1) // 2) < 0.5, 1.0, -1.0)
    sign = xp.stack([first, -first], axis=1).ravel()[:n]
    return {"x": sign * (1 + STEP * rng.integers(1, 1024, n)) + rng.uniform(0, STEP / 2, n)}


def reference(xp, x, n):
    return {"y": xp.concatenate([xp.zeros(1, dtype=x.dtype), xp.cumsum(x[:-1])])}
