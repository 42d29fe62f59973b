"""A grey image by weights in 256ths, and the means of windows that end at the borders."""


def generate(xp, rng, size):
    return {"image": rng.integers(0, 256, (size["rows"], size["cols"], 3))}


def window_sums(xp, values, radius):
    """The sums of up to 2 * radius + 1 neighbours along the first axis, clipped at both ends."""
    length = len(values)
    before = xp.concatenate([xp.zeros_like(values[:1]), xp.cumsum(values, axis=0)])
    at = xp.arange(length)
    return before[xp.minimum(at + radius + 1, length)] - before[xp.maximum(at - radius, 0)]


def reference(xp, image, rows, cols, radius):
    # Whole numbers until the last division, so that everything is exact.
    colours = image.astype(xp.int64)
    grey = 77 * colours[:, :, 0] + 150 * colours[:, :, 1] + 29 * colours[:, :, 2]
    sums = window_sums(xp, window_sums(xp, grey, radius).T, radius).T
    high = window_sums(xp, xp.ones(rows, dtype=xp.int64), radius)
    wide = window_sums(xp, xp.ones(cols, dtype=xp.int64), radius)
    return {"grey": grey / 256, "blur": sums / 256 / (high[:, None] * wide[None, :])}
