"""Power spectra of signals that are noise with one oscillation, under a periodic Hann window."""


def generate(xp, rng, size):
    batch, n = size["batch"], size["n"]
    noise = rng.standard_normal((batch, n))
    cycles = rng.uniform(0, n / 2, (batch, 1))
    phase = rng.uniform(0, 2 * xp.pi, (batch, 1))
    return {"x": noise + xp.cos(2 * xp.pi * cycles * xp.arange(n) / n + phase)}


def reference(xp, x, batch, n):
    window = 0.5 - 0.5 * xp.cos(2 * xp.pi * xp.arange(n) / n)
    spectrum = xp.fft.rfft(x * window, axis=1)
    return {"power": (spectrum.real**2 + spectrum.imag**2) / n}
