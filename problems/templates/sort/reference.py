"""Sort each row. Steps of 1/256 are too fine for float16, and coarse enough for equal elements to occur."""


def generate(xp, rng, size):
    return {"input": xp.round(rng.normal(0, 40, (size["rows"], size["cols"])) * 256) / 256}


def reference(xp, input, rows, cols):
    return {"output": xp.sort(input, axis=1)}
