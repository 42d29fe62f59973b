"""Runs the program under test on every test, and says which tests it passes."""

TESTS, ROOM = 32, 512
MOST_VALUE = 10_000
TINY = 1e-30  # smaller results may be anything below it


def refused_parts(rows, cols, values, tolerance):
    """The outputs of a test that are not allowed; none if it is a test."""
    if rows < 1 or rows > ROOM:
        return {"rows"}
    if cols < 1 or rows * cols > ROOM:
        return {"cols"}
    if not bool((abs(values[: rows * cols]) <= MOST_VALUE).all()):
        return {"values"}
    return set() if 0 < tolerance <= 1 else {"tolerance"}


def passes(xp, x, tolerance, program):
    """Whether the results of the program are within the tolerance of the exact ones."""
    shifted = xp.exp(x - x.max(axis=1, keepdims=True))
    right = shifted / shifted.sum(axis=1, keepdims=True)
    with_errors = program.softmax(xp, x.astype(xp.float32)).astype(xp.float64)
    return bool((abs(with_errors - right) <= tolerance * right + TINY).all())


def check(xp, inputs, expected, got, size, tolerance, program):  # noqa: ARG001
    """Which elements are fine: all but those of tests that refuse the program."""
    fine = {name: xp.ones(values.shape, dtype=bool) for name, values in got.items()}
    rows, cols = got["rows"].tolist(), got["cols"].tolist()
    limits = got["tolerance"].tolist()
    for number in range(TESTS):
        if rows[number] == 0 and cols[number] == 0:
            continue
        values = got["values"][number]
        refused = refused_parts(rows[number], cols[number], values, limits[number])
        if not refused:
            x = values[: rows[number] * cols[number]].reshape(rows[number], cols[number])
            if not passes(xp, x, limits[number], program):
                refused = {"values"}
        for name in refused:
            fine[name][number] = False
    return fine
