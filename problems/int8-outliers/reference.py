"""Activations with a few columns of outliers, as the projections of language models see them.

The codes are compared exactly, so no quotient may lie so close to the middle of two codes that the rounding
of a float32 division decides. The few that do are replaced by zero.
"""

NEAR = 1e-3  # of the middle of two codes; float32 arithmetic is off by less than 1e-4 there


def generate(xp, rng, size):
    m, k = size["m"], size["k"]
    x = rng.standard_normal((m, k), dtype=xp.float32)
    x = xp.clip(x, -5.5, 5.5)
    kind = rng.integers(0, 64, k)
    row = rng.integers(0, m, k)
    hit = xp.arange(m)[:, None] == row[None, :]
    sign = xp.where(rng.random(k) < 0.5, -1.0, 1.0).astype(xp.float32)
    x = xp.where((kind == 0)[None, :], 12 * x, x)  # columns that are large throughout
    x = xp.where(hit & (kind == 1)[None, :], 20 * sign[None, :], x)  # one outlier in the column
    x = xp.where(hit & (kind == 2)[None, :], 6 * sign[None, :], x)  # just one
    x = xp.where(hit & (kind == 3)[None, :], xp.float32(5.996) * sign[None, :], x)  # just none
    quiet = (rng.integers(0, 8, m) == 0)[:, None]
    x = xp.where(quiet & (abs(x) < 5.9), xp.float32(0), x)  # rows with hardly anything but outliers
    x = x.astype(xp.float16)
    quotient = _quotients(xp, x.astype(xp.float32), 6.0)[0]
    middle = abs(abs(quotient - xp.floor(quotient)) - 0.5) < NEAR
    return {"x": xp.where(middle, xp.float16(0), x)}


def _quotients(xp, x, threshold):
    outlier = (abs(x) >= threshold).any(axis=0)
    kept = xp.where(outlier[None, :], 0 * x, x)
    scale = abs(kept).max(axis=1) / 127
    scale = xp.where(scale == 0, 1 + scale, scale)
    return kept / scale[:, None], scale, outlier


def reference(xp, x, m, k, threshold):
    quotient, scale, outlier = _quotients(xp, x, threshold)
    return {"q": xp.rint(quotient).astype(xp.int8), "scale": scale, "outlier": outlier.astype(xp.uint8)}
