"""Normally distributed numbers far from 0. A drift along the vector gives its parts different means."""


def generate(xp, rng, size):
    n = size["n"]
    centre, deviation, drift = (float(rng.uniform(a, b)) for a, b in ((100, 300), (1, 2), (2, 6)))
    x = rng.standard_normal(n, dtype=xp.float32)
    x *= deviation
    x += xp.linspace(centre, centre + drift, n, dtype=xp.float32)
    return {"x": x}


def reference(xp, x, n):
    mean = x.mean()
    deviation = x - mean
    deviation *= deviation
    return {"stats": xp.stack([mean, deviation.mean()])}
