"""Layer normalisation, then dropout with a mask of Philox 4x32-10.

Source: Salmon, Moraes, Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3 (2011).
"""

LOW = 0xFFFFFFFF
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)  # what the key grows by


def generate(xp, rng, size):
    rows, cols = size["rows"], size["cols"]
    mean = (8 if cols >= 32 else 1) * (xp.arange(rows) % 3 - 1)
    noise = rng.standard_normal((rows, cols), dtype=xp.float32)
    halves = rng.integers(0, 2**31, (2, 1))
    return {
        "x": noise + mean.astype(xp.float32)[:, None],
        "gamma": 0.5 + rng.random(cols, dtype=xp.float32),
        "beta": 1 + rng.random(cols, dtype=xp.float32),
        "seed": halves[0] * 2**31 + halves[1],
    }


def reference(xp, x, gamma, beta, seed, rows, cols, threshold):
    y = x - x.mean(axis=1, keepdims=True)
    y *= gamma / xp.sqrt((y * y).mean(axis=1, keepdims=True) + 1e-5)
    y += beta
    mask = (philox(xp, seed, rows * cols) >= threshold).reshape(rows, cols)
    y *= mask / (1 - threshold / 2**32)
    return {"y": y, "mask": mask.astype(xp.uint8)}


def philox(xp, seed, n):
    """The first n words of the counters 0, 1, 2, …"""
    key = seed.astype(xp.uint64)
    k0, k1 = key & LOW, key >> 32
    c0 = xp.arange((n + 3) // 4).astype(xp.uint64)
    c1 = c2 = c3 = xp.zeros_like(c0)
    for _ in range(10):
        p0, p1 = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & LOW, (p0 >> 32) ^ c3 ^ k1, p0 & LOW
        k0, k1 = (k0 + WEYL[0]) & LOW, (k1 + WEYL[1]) & LOW
    return xp.stack((c0, c1, c2, c3), axis=1).reshape(-1)[:n]
