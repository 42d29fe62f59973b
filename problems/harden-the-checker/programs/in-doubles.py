"""Right: adds in double precision, and rounds each result."""


def call(xp, tape):
    tape["y"][:] = xp.cumsum(tape["x"], dtype=xp.float64)
