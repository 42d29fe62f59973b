"""Product of two matrices, scaled so that results have a deviation of about one for every k.

Both signs occur, so that rounding errors of the inputs stay visible next to sums that largely cancel.
"""


def generate(xp, rng, size):
    m, n, k = size["m"], size["n"], size["k"]
    a = rng.standard_normal((m, k), dtype=xp.float32)
    b = rng.standard_normal((k, n), dtype=xp.float32)
    b *= k**-0.5
    return {"a": a.astype(xp.float16), "b": b.astype(xp.float16)}


def reference(xp, a, b, m, n, k):
    return {"c": a @ b}
