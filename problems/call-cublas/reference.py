"""A product that is added to a matrix. Rows are padded, and padding is large, so that using it shows."""


def generate(xp, rng, size):
    m, n, k = size["m"], size["n"], size["k"]
    b = rng.uniform(-3, 3, (k, size["ldb"]))
    b[:, :n] *= k**-0.5
    b[:, n:] *= 1000
    a = rng.uniform(-1, 1, (m, size["lda"]))
    a[:, k:] *= 1000
    return {"a": a, "b": b, "c": rng.standard_normal((m, size["ldc"]))}


def reference(xp, a, b, c, m, n, k, lda, ldb, ldc):
    out = c.copy()
    out[:, :n] += a[:, :k] @ b[:, :n]
    return {"c": out}
