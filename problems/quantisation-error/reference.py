"""Channels of different sizes, quantised to eight bits with one scale each; some of them are kept exactly.

In a few channels all errors have the same sign. A few errors are so small that they are below all bins. Half
of these are powers of two. The others are the greatest numbers below one, whose logarithm in float32 is often
rounded up to that of the power.
"""


def generate(xp, rng, size):
    m, n = size["m"], size["n"]
    spread = xp.exp(rng.uniform(-2, 2, n)).astype(xp.float32)
    x = rng.standard_normal((m, n), dtype=xp.float32) * spread
    scale = (3.2 * spread / 127).astype(xp.float32)
    xq = xp.clip(xp.rint(x / scale), -127, 127) * scale
    kind = rng.integers(0, 16, n)
    xq = xp.where((kind == 0)[None, :], x, xq)  # kept exactly
    xq = xp.where((kind == 1)[None, :], x - abs(x - xq), xq)  # errors of one sign only
    tiny = (rng.integers(0, 512, (m, n)) == 0) & (xp.arange(m) > 0)[:, None]
    x = xp.where(tiny, xp.float32(0), x)
    small = xp.exp2(-rng.integers(20, 37, (m, n)).astype(xp.float32))
    small = small * (1 - rng.integers(0, 2, (m, n)) * xp.float32(2**-24)).astype(xp.float32)
    return {"x": x, "xq": xp.where(tiny, (kind != 0)[None, :] * small, xq)}


def reference(xp, x, xq, m, n):
    error = (xq.astype(xp.float32) - x.astype(xp.float32)).astype(x.dtype)
    square = error * error
    noise = square.sum(axis=0)
    some = noise > 0
    divisor = xp.where(some, noise, 1 + noise)
    signal = (x * x).sum(axis=0)
    ratio = xp.where(some, signal / divisor, 1 + noise)
    ratio = xp.where(ratio > 0, ratio, 1e-20 + ratio)
    kurtosis = m * (square * square).sum(axis=0) / (divisor * divisor)
    magnitude = abs(error).reshape(-1)
    _, exponent = xp.frexp(magnitude)  # the magnitude is in [0.5, 1) times 2 ** exponent
    place = xp.clip(exponent + 31, 0, 63)
    place = xp.where(magnitude == 0, 0, place)
    return {
        "sqnr": xp.where(some, 10 * xp.log10(ratio), 200 + noise),
        "worst": abs(error).max(axis=0),
        "kurtosis": xp.where(some, kurtosis, noise),
        "hist": xp.bincount(place, minlength=64).astype(xp.int32),
    }
