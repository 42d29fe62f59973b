"""Two arrays, of which the end of one and the start of the other change places."""


def generate(xp, rng, size):
    return {"a": rng.standard_normal(size["n"]), "b": rng.standard_normal(size["n"])}


def reference(xp, a, b, n):
    half = n // 2
    return {
        "a": xp.concatenate([a[: n - half], b[:half]]),
        "b": xp.concatenate([a[n - half :], b[half:]]),
    }
