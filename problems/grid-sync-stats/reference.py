"""Normally distributed numbers far from 0. A drift along the vector gives its parts different means.

A few elements of long vectors are far from the others. Each of them changes the variance by more than the
tolerance, so a program cannot leave out a random part of the vector.
"""


def generate(xp, rng, size):
    n = size["n"]
    centre, deviation, drift = (float(rng.uniform(a, b)) for a, b in ((100, 300), (1, 2), (2, 6)))
    x = rng.standard_normal(n, dtype=xp.float32)
    x *= deviation
    x += xp.linspace(centre, centre + drift, n, dtype=xp.float32)
    heavy = min(64, n // 1000)
    if heavy:
        x[rng.integers(1, n, heavy)] += deviation * (n / 256) ** 0.5
    return {"x": x}


def reference(xp, x, n):
    mean = x.mean()
    deviation = x - mean
    deviation *= deviation
    return {"stats": xp.stack([mean, deviation.mean()])}
