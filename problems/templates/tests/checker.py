"""Runs the program under test on each test, and refuses it where its answer is wrong."""


def check(xp, inputs, expected, got, size, tolerance, program):  # noqa: ARG001
    """Which elements are fine. Those of a test outside the limits are not, so that no program passes it."""
    fine = {name: xp.ones(values.shape, dtype=bool) for name, values in got.items()}
    for number, length in enumerate(got["lengths"].tolist()):
        if length == 0:
            continue  # no test
        if not 1 <= length <= size["longest"]:
            fine["lengths"][number] = False
            continue
        x = got["values"][number, :length]
        if program.place(xp, x) != int(x.argmax()):
            fine["values"][number] = False
    return fine
