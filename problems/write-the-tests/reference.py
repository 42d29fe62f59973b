"""Tests that kill all faulty programs. Nothing is drawn, because submissions read nothing."""

TESTS, ROOM = 32, 512


def generate(xp, rng, size):
    return {}


def wave(xp, rows, cols, scale):
    """Different values that are no whole numbers, largest neither at the beginning nor at the end."""
    at = xp.arange(rows * cols)
    return (scale * xp.sin(at * 1.7 + 0.3) + at % 7 / 9).reshape(rows, cols)


def tests(xp):
    yield wave(xp, 1, 1, 1.0)
    yield wave(xp, 3, 5, 2.0)
    yield wave(xp, 7, 33, 3.0)
    yield wave(xp, 2, 200, 1.0)
    yield wave(xp, 200, 2, 1.0)
    yield wave(xp, 2, 6, 20.0)
    yield wave(xp, 2, 3, 1.0) + 300.0
    yield wave(xp, 2, 3, 1.0) - 300.0
    yield wave(xp, 3, 4, 1.0) + xp.asarray([[0.0], [-200.0], [200.0]])
    yield xp.asarray([[1.5, 200.25, 3.0, 4.0]])
    yield xp.asarray([[2.5, 1.0, 2.5, 2.5]])


def reference(xp):
    rows, cols = xp.zeros(TESTS, xp.int32), xp.zeros(TESTS, xp.int32)
    values, tolerance = xp.zeros((TESTS, ROOM)), xp.zeros(TESTS)
    for number, x in enumerate(tests(xp)):
        rows[number], cols[number] = x.shape
        values[number, : x.size] = x.reshape(-1)
        tolerance[number] = 5e-5
    return {"rows": rows, "cols": cols, "values": values, "tolerance": tolerance}
