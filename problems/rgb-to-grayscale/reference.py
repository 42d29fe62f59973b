"""RGB to grayscale."""


def generate(xp, rng, size):
    return {"rgb": rng.uniform(0, 255, (size["rows"], size["cols"], 3))}


def reference(xp, rgb, rows, cols):
    return {"gray": 0.299 * rgb[..., 0] + 0.587 * rgb[..., 1] + 0.114 * rgb[..., 2]}
