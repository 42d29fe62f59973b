"""Rounds that mix a ring of 32-bit words, each with a key of its own."""

HALF = 1 << 16
TURN = 9


def words(xp, rng, count):
    high, low = rng.integers(0, HALF, count), rng.integers(0, HALF, count)
    return (high * HALF + low).astype(xp.uint32)


def generate(xp, rng, size):
    return {"x": words(xp, rng, size["n"]), "key": words(xp, rng, size["rounds"])}


def reference(xp, x, key, n, rounds):
    for r in range(int(rounds)):
        turned = x ^ key[r]
        turned = (turned << TURN) | (turned >> (32 - TURN))
        x = turned + xp.roll(x, -1)
    return {"x": x}
