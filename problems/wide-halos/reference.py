"""A row of two parts, with zeros at both ends. Each bit of the words is a cell of rule 30."""

HALF = 1 << 16


def generate(xp, rng, size):
    shape = (2, size["n"])
    high, low = rng.integers(-HALF // 2, HALF // 2, shape), rng.integers(0, HALF, shape)
    return {"u": high * HALF + low}


def reference(xp, u, n, steps):
    row = xp.pad(u.reshape(-1), 1)
    for _ in range(steps):
        row[1:-1] = row[:-2] ^ (row[1:-1] | row[2:])
    return {"u": row[1:-1].reshape(2, n)}
