"""Activations, and packed weights of which whole blocks are skipped, more in some bands than in others.

Results have a deviation of about one: the square of a code from -8 to 7 is 21.5 on average. The bytes and the
scales of skipped blocks are random, and some of these scales are infinite, so that no program can use them.
"""


def generate(xp, rng, size):
    m, bands, steps, half, kept = (size[name] for name in ("m", "bands", "steps", "half", "kept"))
    n, k = 2 * bands * half, 2 * steps * half
    # The blocks with the least keys are kept. The second term makes some bands denser than others.
    key = rng.random((bands, steps)) + rng.random((bands, 1))
    skip = xp.ones(bands * steps, dtype=xp.uint8)
    skip[xp.argsort(key.reshape(-1))[:kept]] = 0
    skip = skip.reshape(bands, steps)
    typical = (bands * steps / (21.5 * k * kept)) ** 0.5
    scale = typical * xp.exp2(rng.uniform(-1, 1, (steps, n)))
    useless = xp.repeat(skip.T, 2 * half, axis=1) * (rng.random((steps, n), dtype=xp.float32) < 0.25)
    # Seven random bytes of each number: drawing bytes one by one would take eight times the memory.
    words = rng.integers(0, 1 << 62, (n * (k // 2) + 6) // 7)
    packed = words.view(xp.uint8).reshape(-1, 8)[:, :7].reshape(-1)[: n * (k // 2)]
    return {
        "x": rng.standard_normal((m, k), dtype=xp.float32).astype(xp.float16),
        "packed": packed.reshape(n, k // 2),
        "scale": xp.where(useless != 0, xp.inf, scale).astype(xp.float16),
        "skip": skip,
    }


def reference(xp, x, packed, scale, skip, m, n, k, block):
    y = xp.empty((m, n), dtype=x.dtype)
    bands = n // block
    together = max(1, bands // 16)  # bands that are decoded at a time
    for first in range(0, bands, together):
        rows = slice(first * block, min(first + together, bands) * block)
        skipped = xp.repeat(skip[first : first + together], block, axis=0) != 0
        steps = xp.where(skipped, 0, scale[:, rows].T)[:, :, None]
        part = 0
        for half, codes in enumerate((packed[rows] & 15, packed[rows] >> 4)):
            weights = codes.astype(x.dtype).reshape(-1, k // block, block // 2)
            weights -= 8
            weights *= steps
            part = part + x[:, half::2] @ weights.reshape(-1, k // 2).T
        y[:, rows] = part
    return {"y": y}
