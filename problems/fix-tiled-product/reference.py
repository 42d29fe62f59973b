"""Product of two matrices with entries between -1 and 1.

Both signs occur, so that the n products of an element largely cancel: rounding errors of the inputs then stay
visible in the result, and lower precision cannot hide behind a large sum.
"""


def generate(xp, rng, size):
    m, n, k = size["m"], size["n"], size["k"]
    return {"a": rng.uniform(-1, 1, (m, n)), "b": rng.uniform(-1, 1, (n, k))}


def reference(xp, a, b, m, n, k):
    return {"c": a @ b}
