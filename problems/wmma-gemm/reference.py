"""Product of two matrices of float16. The factors are scaled, so sums have a deviation of about 1.5."""


def generate(xp, rng, size):
    m, n, k = size["m"], size["n"], size["k"]
    a = rng.standard_normal((m, k), dtype=xp.float32)
    b = rng.standard_normal((k, n), dtype=xp.float32)
    b *= 1.5 * k**-0.5
    return {"a": a.astype(xp.float16), "b": b.astype(xp.float16)}


def reference(xp, a, b, m, n, k):
    return {"c": a @ b}
