"""An image and embeddings of deviation one, and weights of all sixteen codes that keep this deviation.

The square of a code from -8 to 7 is 21.5 on average. The scales of rows differ by a factor of up to four.
Queries are three times as large, so the weights of the attention differ clearly.
"""

ROWS = 4096  # of the vocabulary at a time


def generate(xp, rng, size):
    d, vocab, r = 2 * size["half"], size["vocab"], size["r"]
    height, width = 2 * r * size["gy"], 2 * r * size["gx"]
    scale = xp.exp2(rng.uniform(-1, 1, 4 * d + vocab)) / (21.5 * d) ** 0.5
    scale[:d] *= (d / (12 * r * r)) ** 0.5
    scale[3 * d : 4 * d] *= 3
    return {
        "image": rng.standard_normal((3, height, width), dtype=xp.float32).astype(xp.float16),
        "tokens": rng.integers(0, vocab, size["t"]),
        "table": rng.standard_normal((vocab, d), dtype=xp.float32).astype(xp.float16),
        "packed": rng.integers(0, 256, d * 6 * r * r + 3 * d * d // 2 + vocab * d // 2).astype(xp.uint8),
        "scale": scale.astype(xp.float16),
    }


def decode(xp, packed, scale, first, at, rows, cols):
    """The weights of `rows` rows from byte `first` on, whose first scale has the number `at`."""
    codes = packed[first : first + rows * cols // 2].reshape(rows, cols // 2)
    weights = xp.empty((rows, cols), dtype=scale.dtype)
    weights[:, 0::2] = codes & 15
    weights[:, 1::2] = codes >> 4
    weights -= 8
    weights *= scale[at : at + rows, None]
    return weights


def reference(xp, image, tokens, table, packed, scale, height, width, patch, t, vocab, d):
    pixels = 3 * patch * patch
    grid = image.reshape(3, height // patch, patch, width // patch, patch).transpose(1, 3, 0, 2, 4)
    x = grid.reshape(-1, pixels) @ decode(xp, packed, scale, 0, 0, d, pixels).T
    first, square = d * pixels // 2, d * d // 2
    keys = x @ decode(xp, packed, scale, first, d, d, d).T
    values = x @ decode(xp, packed, scale, first + square, 2 * d, d, d).T
    states = table[tokens]
    queries = states @ decode(xp, packed, scale, first + 2 * square, 3 * d, d, d).T
    scores = queries @ keys.T
    scores /= d**0.5
    scores -= scores.max(axis=1, keepdims=True)
    weights = xp.exp(scores)
    weights /= weights.sum(axis=1, keepdims=True)
    states = states + weights @ values
    logits = xp.empty((t, vocab), dtype=scale.dtype)
    for row in range(0, vocab, ROWS):
        rows = min(ROWS, vocab - row)
        start = first + 3 * square + row * (d // 2)
        logits[:, row : row + rows] = states @ decode(xp, packed, scale, start, 4 * d + row, rows, d).T
    return {"logits": logits}
