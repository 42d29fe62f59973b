"""Mean gradients of two batches. Their average counts each sample once, whichever rank has seen it."""


def generate(xp, rng, size):
    m, n, samples = size["m"], size["n"], size["samples"]
    fewer = rng.integers(samples // 8, samples // 3 + 1, size=1)  # none if there is one sample
    return {
        "g0": rng.standard_normal((2, m, n)),
        "g1": rng.standard_normal((2, n)),
        "count": xp.concatenate([samples - fewer, fewer]),
    }


def reference(xp, g0, g1, count, m, n):
    share = count / count.sum()
    mean0 = share[0] * g0[0] + share[1] * g0[1]
    mean1 = share[0] * g1[0] + share[1] * g1[1]
    return {"g0": xp.stack([mean0, mean0]), "g1": xp.stack([mean1, mean1])}
