"""Product of two matrices of float16 in groups of eight columns. Sums have a deviation of about 1.5."""


def generate(xp, rng, size):
    m, n, k = size["m"], 8 * size["n8"], 8 * size["k8"]
    a = rng.standard_normal((m, k), dtype=xp.float32)
    b = rng.standard_normal((k, n), dtype=xp.float32)
    b *= 1.5 * k**-0.5
    return {"a": a.astype(xp.float16).reshape(m, -1, 8), "b": b.astype(xp.float16).reshape(k, -1, 8)}


def reference(xp, a, b, m, n, k):
    return {"c": (a.reshape(m, k) @ b.reshape(k, n)).reshape(m, -1, 8)}
