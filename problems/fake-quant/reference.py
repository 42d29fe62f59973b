"""Rows with a scale and a zero point of their own. About one element in eighty is clipped at each end.

Codes jump where a quotient lies in the middle of two integers. Quotients near it are moved to an integer,
so that the rounding of a float32 division does not decide.
"""

NEAR = 1e-3  # of the middle of two codes; float32 quotients are off by less than 2e-5


def generate(xp, rng, size):
    m, n, levels = size["m"], size["n"], size["levels"]
    s = (0.05 * xp.exp(rng.uniform(-1, 1, m))).astype(xp.float32)
    z = rng.integers((3 * levels) // 8, (5 * levels + 7) // 8 + 1, m).astype(xp.float32)
    centre = levels / 2 - z
    wide = centre[:, None] + rng.standard_normal((m, n)) * (levels / 4.5)
    x = (wide * s[:, None]).astype(xp.float32)
    quotient = x.astype(xp.float64) / s[:, None]
    middle = abs(quotient - xp.floor(quotient) - 0.5) < NEAR
    x = xp.where(middle, (xp.floor(quotient) * s[:, None]).astype(xp.float32), x)
    return {"x": x, "dy": rng.standard_normal((m, n), dtype=xp.float32), "s": s, "z": z}


def reference(xp, x, dy, s, z, m, n, levels):
    scale, zero = s[:, None], z[:, None]
    quotient = x / scale
    code = xp.rint(quotient) + zero
    kept = xp.clip(code, 0, levels)
    inside = code == kept
    y = (kept - zero) * scale
    slope = kept - zero - xp.where(inside, quotient, 0 * quotient)
    return {"y": y, "dx": xp.where(inside, dy, 0 * dy), "ds": (dy * slope).sum(axis=1)}
