"""Images of sixteenths of a grey value. The upper half has 16 levels, so many slopes equal the threshold.

Thresholds are at most 256: sums of squares near the threshold then have at most 24 bits.
"""


def generate(xp, rng, size):
    rows, cols = size["rows"], size["cols"]
    image = rng.integers(0, 4081, (rows, cols)).astype(xp.float32) / 16
    upper = image[: rows // 2]
    upper -= upper % 16
    return {"image": image}


def reference(xp, image, rows, cols, threshold):
    padded = xp.pad(image, 1, mode="edge")
    above, level, below = padded[:-2], padded[1:-1], padded[2:]
    smooth = above + 2 * level + below
    square = (smooth[:, 2:] - smooth[:, :-2]) ** 2
    del smooth
    steep = below - above
    square += (steep[:, :-2] + 2 * steep[:, 1:-1] + steep[:, 2:]) ** 2
    return {"edge": 255 * (square >= threshold * threshold).astype(xp.uint8)}
