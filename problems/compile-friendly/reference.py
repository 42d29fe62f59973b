"""Blocks of rows with different means. In some cases all results are small, so that nothing is scaled."""

BLOCK = 4


def generate(xp, rng, size):
    n, d = size["n"], size["d"]
    x = rng.standard_normal((n, d), dtype=xp.float32) * xp.float32(0.1 if d % 2 else 2)
    return {"x": x + rng.standard_normal((n, 1), dtype=xp.float32)}


def reference(xp, x, n, d):
    blocks = -(-n // BLOCK)
    rows = xp.zeros((blocks * BLOCK, d), x.dtype)
    rows[:n] = x
    counts = xp.minimum(BLOCK, n - BLOCK * xp.arange(blocks))
    means = rows.reshape(blocks, BLOCK, d).sum(axis=1) / counts[:, None]
    centred = x - means[xp.arange(n) // BLOCK]
    return {"y": centred / xp.maximum(1, abs(centred).max())}
