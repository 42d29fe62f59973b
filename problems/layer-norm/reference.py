"""Layer normalisation: rows whose mean is far from zero, so that a careless variance cancels."""


def generate(xp, rng, size):
    rows, cols = size["rows"], size["cols"]
    # Means of -64, 0 and 64 at deviation 1: x^2 is then 4096 times the variance. A short row may happen to
    # have a much smaller deviation, where the rounding of such a mean alone would be seen.
    mean = (64 if cols >= 32 else 1) * (xp.arange(rows) % 3 - 1)
    noise = rng.standard_normal((rows, cols), dtype=xp.float32)
    return {
        "input": noise + mean.astype(xp.float32)[:, None],
        "gamma": 0.5 + rng.random(cols, dtype=xp.float32),
        "beta": rng.standard_normal(cols, dtype=xp.float32),
    }


def reference(xp, input, gamma, beta, rows, cols):
    centred = input - input.mean(axis=1, keepdims=True)
    variance = (centred * centred).mean(axis=1, keepdims=True)
    return {"output": centred / xp.sqrt(variance + 1e-5) * gamma + beta}
