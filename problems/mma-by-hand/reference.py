"""Many small products of float16, with sums that have a deviation of 1.5."""


def generate(xp, rng, size):
    batch = size["batch"]
    a = rng.standard_normal((batch, 16, 16), dtype=xp.float32)
    b = rng.standard_normal((batch, 16, 8), dtype=xp.float32)
    b *= 1.5 / 4
    return {"a": a.astype(xp.float16), "b": b.astype(xp.float16)}


def reference(xp, a, b, batch):
    return {"d": a @ b}
