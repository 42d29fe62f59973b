"""Matrix times vector."""


def generate(xp, rng, size):
    rows, cols = size["rows"], size["cols"]
    return {"matrix": rng.uniform(0.5, 1.5, (rows, cols)), "vector": rng.uniform(0.5, 1.5, cols)}


def reference(xp, matrix, vector, rows, cols):
    return {"output": matrix @ vector}
