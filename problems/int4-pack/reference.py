"""Weights whose groups differ in size, so that one scale for a row would lose most codes.

Codes and scales are compared exactly, so the rounding of float32 arithmetic must not decide. Groups whose
scale would lie near the middle of two float16 numbers are changed a little. Weights whose quotient lies near
the middle of two codes are replaced by zero.
"""

NEAR_SCALE = 1e-6  # relative; float32 division is off by 6e-8
NEAR_CODE = 1e-4  # float32 arithmetic is off by less than 2e-6


def _scales(xp, w):
    """The scales of an array of rows, groups and weights, before and after rounding to float16."""
    exact = abs(w).max(axis=2) / 7
    rounded = exact.astype(xp.float16).astype(w.dtype)
    return exact, xp.where(rounded == 0, 1 + rounded, rounded)


def generate(xp, rng, size):
    m, groups, half = size["m"], size["groups"], size["half"]
    w = rng.standard_normal((m, groups, 2 * half), dtype=xp.float32)
    spread = xp.exp(rng.uniform(-1.5, 1.5, (m, groups))) / 40
    spread = xp.where(rng.random((m, groups)) < 0.06, 0.0, spread)  # groups of zeros
    w = w * spread.astype(xp.float32)[:, :, None]
    # The middle of two float16 numbers is where rounding up and rounding down from nearby differ.
    exact, _ = _scales(xp, w.astype(xp.float64))
    low = (exact * (1 - NEAR_SCALE)).astype(xp.float16)
    high = (exact * (1 + NEAR_SCALE)).astype(xp.float16)
    w = xp.where((low != high)[:, :, None], w * xp.float32(1.0001), w)
    _, scale = _scales(xp, w.astype(xp.float64))
    quotient = w / scale[:, :, None]
    middle = abs(quotient - xp.floor(quotient) - 0.5) < NEAR_CODE
    return {"w": xp.where(middle, xp.float32(0), w).reshape(m, 2 * groups * half)}


def reference(xp, w, m, k, group):
    parts = w.reshape(m, k // group, group)
    _, scale = _scales(xp, parts)
    code = xp.clip(xp.rint(parts / scale[:, :, None]), -8, 7) + 8
    code = code.reshape(m, k).astype(xp.uint8)
    return {"packed": code[:, 0::2] + 16 * code[:, 1::2], "scale": scale}
