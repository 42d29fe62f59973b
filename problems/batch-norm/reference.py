"""Batch normalisation: channels whose means are far from zero, so that a careless variance cancels."""

EPSILON = 1e-5
MOMENTUM = 0.1


def generate(xp, rng, size):
    n, c, h, w = (size[name] for name in "nchw")
    # Means of -128, 0 and 128 at deviation 1: x^2 is then 16384 times the variance. With few elements the
    # deviation may happen to be small, where the rounding of such a mean alone would be seen.
    far = 128 if n * h * w >= 64 else 1
    x = rng.standard_normal((n, c, h, w), dtype=xp.float32)
    x += (far * (xp.arange(c) % 3 - 1)).astype(xp.float32)[None, :, None, None]
    # Images differ, so that statistics of one image are not those of the batch.
    x += (0.5 * rng.standard_normal(n, dtype=xp.float32))[:, None, None, None]
    return {
        "x": x,
        "gamma": 0.5 + rng.random(c, dtype=xp.float32),
        "beta": rng.standard_normal(c, dtype=xp.float32),
        "running_mean": rng.standard_normal(c, dtype=xp.float32),
        "running_var": 0.5 + rng.random(c, dtype=xp.float32),
    }


def reference(xp, x, gamma, beta, running_mean, running_var, **sizes):
    count = sizes["n"] * sizes["h"] * sizes["w"]
    mean = x.mean(axis=(0, 2, 3))
    y = x - mean[None, :, None, None]
    variance = (y * y).mean(axis=(0, 2, 3))
    y *= (gamma / xp.sqrt(variance + EPSILON))[None, :, None, None]
    y += beta[None, :, None, None]
    unbiased = variance * (count / max(count - 1, 1))
    return {
        "running_mean": (1 - MOMENTUM) * running_mean + MOMENTUM * mean,
        "running_var": (1 - MOMENTUM) * running_var + MOMENTUM * unbiased,
        "y": y,
    }
