"""The product of two matrices. B is scaled so that the elements of the product have a deviation of one."""


def generate(xp, rng, size):
    m, n, k = size["m"], size["n"], size["k"]
    b = rng.uniform(-3, 3, (k, n))
    b *= k**-0.5
    return {"a": rng.uniform(-1, 1, (m, k)), "b": b}


def reference(xp, a, b, m, n, k):
    return {"c": a @ b}
