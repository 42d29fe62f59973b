"""Inclusive prefix sums of numbers whose magnitudes lie between 1 and 2.

An element that is missing, doubled or shifted by one place changes a prefix sum by at least 1. The numbers
lie just above the steps of float16, so that rounding to it always loses: errors of lower precision add up
instead of averaging out. The two signs balance, so that the sums stay within a few times sqrt(n) and float32
can hold them.
"""

STEP = 2.0**-10  # of float16, between 1 and 2


def generate(xp, rng, size):
    n = size["n"]
    # Slightly fewer positive numbers make up for the mean of the part above the steps, which is STEP / 4.
    sign = xp.where(rng.random(n) < 0.5 - STEP / 12, 1.0, -1.0)
    steps = rng.integers(1, 1024, n)
    return {"input": sign * (1 + steps * STEP) + rng.uniform(0, STEP / 2, n)}


def reference(xp, input, n):
    return {"output": xp.cumsum(input)}
