"""Factors between 1/2 and 2 of both signs. One in eight is a tie, and one in eight rounds up to a power of 2.

Ties lie exactly in the middle between two numbers of TF32. Without them, one number in 8192 would tell the
rounding modes apart.
"""


def draw(xp, rng, n):
    exponent = rng.integers(126, 128, n).astype(xp.int32)
    mantissa = rng.integers(0, 1 << 23, n).astype(xp.int32)
    kind = rng.integers(0, 8, n)
    mantissa = xp.where(kind == 0, mantissa & ~0x1FFF | 0x1000, mantissa)
    mantissa = xp.where(kind == 1, mantissa | 0x7FF000, mantissa)
    size = ((exponent << 23) | mantissa).astype(xp.int32).view(xp.float32)
    return xp.where(rng.integers(0, 2, n) == 0, size, -size).astype(xp.float32)


def generate(xp, rng, size):
    return {"a": draw(xp, rng, size["n"]), "b": draw(xp, rng, size["n"])}


def to_tf32(xp, values):
    bits = values.astype(xp.float32).view(xp.int32)
    return ((bits + 0x1000) & ~0x1FFF).astype(xp.int32).view(xp.float32).astype(xp.float64)


def reference(xp, a, b, n):
    high_a, high_b = to_tf32(xp, a), to_tf32(xp, b)
    # The same as the product minus a * b. Nothing large cancels, so this is also precise in float32.
    return {"c": high_a * high_b, "err": -(high_a * (b - high_b) + (a - high_a) * b)}
