"""A convolution layer. Filters are scaled so that results have a deviation of about one."""


def generate(xp, rng, size):
    c, r, s = size["c"], size["r"], size["s"]
    x = rng.standard_normal((size["b"], c, size["h"], size["w"]), dtype=xp.float32)
    filters = rng.standard_normal((size["o"], c, r, s), dtype=xp.float32)
    filters *= (c * r * s) ** -0.5
    return {"x": x.astype(xp.float16), "filters": filters.astype(xp.float16)}


def reference(xp, x, filters, b, c, h, w, o, r, s, pad):
    rows, cols = h + 2 * pad - r + 1, w + 2 * pad - s + 1
    padded = xp.zeros((b, c, h + 2 * pad, w + 2 * pad), dtype=x.dtype)
    padded[:, :, pad : pad + h, pad : pad + w] = x
    y = xp.zeros((b, o, rows * cols), dtype=x.dtype)
    for i in range(r):
        for j in range(s):
            window = padded[:, :, i : i + rows, j : j + cols].reshape(b, c, rows * cols)
            y += filters[:, :, i, j] @ window
    return {"y": y.reshape(b, o, rows, cols)}
