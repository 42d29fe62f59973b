"""A linear layer with four-bit weights and an adapter of low rank: the result and the adapter's gradients.

All sums are scaled to results near 1, except the product with the weights, which is a few times greater.
"""

GROUP = 16


def generate(xp, rng, size):
    rows, outs, rank = size["rows"], size["outs"], size["rank"]
    ins = GROUP * size["groups"]

    def normal(*shape):
        return rng.standard_normal(shape, dtype=xp.float32)

    return {
        "x": normal(rows, ins),
        "packed": rng.integers(0, 256, (outs, ins // 2)),
        "scale": 0.02 + 0.08 * rng.random((outs, size["groups"]), dtype=xp.float32),
        "a": normal(rank, ins) / ins**0.5,
        "b": normal(outs, rank) / outs**0.5,
        "dy": normal(rows, outs) / rows**0.5,
    }


def reference(xp, x, packed, scale, a, b, dy, **scalars):
    factor = scalars["scaling"]
    weight = xp.stack((packed & 15, packed >> 4), axis=2).reshape(len(packed), -1).astype(xp.float64)
    weight -= 8
    weight *= xp.repeat(scale, GROUP, axis=1)
    low = x @ a.T
    return {
        "y": x @ weight.T + factor * (low @ b.T),
        "da": factor * ((dy @ b).T @ x),
        "db": factor * (dy.T @ low),
    }
