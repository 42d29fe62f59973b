"""Transposition of normally distributed numbers."""


def generate(xp, rng, size):
    return {"input": rng.standard_normal((size["rows"], size["cols"]), dtype=xp.float32)}


def reference(xp, input, rows, cols):
    return {"output": xp.ascontiguousarray(input.T)}
