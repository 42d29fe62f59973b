"""Activations, and weights of all sixteen codes, so that results have a deviation of about one.

The square of a code from -8 to 7 is 21.5 on average. The scales of groups differ by a factor of up to four.
"""


def generate(xp, rng, size):
    m, n, groups, half = size["m"], size["n"], size["groups"], size["half"]
    k = 2 * groups * half
    typical = 1 / (21.5 * k) ** 0.5
    return {
        "x": rng.standard_normal((m, k), dtype=xp.float32).astype(xp.float16),
        "packed": rng.integers(0, 256, (n, groups * half)).astype(xp.uint8),
        "scale": (typical * xp.exp2(rng.uniform(-1, 1, (n, groups)))).astype(xp.float16),
    }


def reference(xp, x, packed, scale, m, n, k, group):
    steps = scale.reshape(n, k // group, 1)
    y = None
    for half, codes in enumerate((packed & 15, packed >> 4)):
        weights = codes.astype(x.dtype).reshape(n, k // group, group // 2)
        weights -= 8
        weights *= steps
        part = x[:, half::2] @ weights.reshape(n, k // 2).T
        y = part if y is None else y + part
    return {"y": y}
