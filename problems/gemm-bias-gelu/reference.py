"""A linear layer with GELU. The factors are scaled so that sums have a deviation of about 1.5 for every k."""


def generate(xp, rng, size):
    m, n, k = size["m"], size["n"], size["k"]
    x = rng.standard_normal((m, k), dtype=xp.float32)
    w = rng.standard_normal((k, n), dtype=xp.float32)
    w *= 1.5 * k**-0.5
    b = rng.uniform(-1, 1, n)
    return {"x": x.astype(xp.float16), "w": w.astype(xp.float16), "b": b.astype(xp.float16)}


def reference(xp, x, w, b, m, n, k):
    y = x @ w
    y += b
    # The normal distribution function by its series: 1/2 + density * (y + y^3 / 3 + y^5 / 15 + ...). It is
    # 0 or 1 to ten digits beyond 6.5. Below, 75 terms suffice.
    near = xp.clip(y, -6.5, 6.5)
    square = near * near
    term = near.copy()
    total = near.copy()
    for odd in range(3, 153, 2):
        term *= square
        term /= odd
        total += term
    square *= -0.5
    share = xp.exp(square)
    share *= total
    share *= 0.3989422804014327  # 1 / sqrt(2 pi)
    share += 0.5
    y *= share
    return {"y": y}
