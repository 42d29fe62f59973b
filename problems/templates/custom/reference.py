"""One step of Collatz.

generate makes the contents of every in and inout array, reference what every out and inout array must hold
afterwards. xp is NumPy, or CuPy on a GPU; rng is seeded; size has the sizes of the case.
"""


def generate(xp, rng, size):
    return {"values": rng.integers(1, 500_000_001, size["n"])}


def reference(xp, values, n):
    wide = values.astype(xp.int64)
    return {"values": xp.where(wide % 2 == 0, wide // 2, 3 * wide + 1)}
