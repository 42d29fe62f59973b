"""im2col: every window of an image as a column of a matrix. A copy, so the result is exact."""


def generate(xp, rng, size):
    # No value is 0, so padding differs from every element.
    shape = tuple(size[name] for name in "bchw")
    sign = 2.0 * rng.integers(0, 2, shape) - 1
    return {"x": sign * (0.5 + rng.random(shape, dtype=xp.float32))}


def reference(xp, x, r, s, stride, pad, **sizes):
    b, c, h, w = (sizes[name] for name in "bchw")
    high, wide = (h + 2 * pad - r) // stride + 1, (w + 2 * pad - s) // stride + 1
    padded = xp.zeros((b, c, h + 2 * pad, w + 2 * pad))
    padded[:, :, pad : pad + h, pad : pad + w] = x
    cols = xp.zeros((b, c, r, s, high, wide))
    for i in range(r):
        for j in range(s):
            rows = padded[:, :, i : i + stride * (high - 1) + 1 : stride]
            cols[:, :, i, j] = rows[..., j : j + stride * (wide - 1) + 1 : stride]
    return {"cols": cols.reshape(b, c * r * s, high * wide)}
