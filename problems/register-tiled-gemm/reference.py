"""alpha A B + beta C. B is scaled so that the elements of A B have a deviation of about one."""


def generate(xp, rng, size):
    m, n, k = size["m"], size["n"], size["k"]
    return {
        "a": rng.uniform(-1, 1, (m, k)),
        "b": rng.uniform(-3, 3, (k, n)) / k**0.5,
        "c": rng.standard_normal((m, n), dtype=xp.float32),
    }


def reference(xp, a, b, c, m, n, k, alpha, beta):
    product = a @ b
    product *= alpha
    product += beta * c
    return {"c": product}
