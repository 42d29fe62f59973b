"""Faulty: writes one element past the end of the output, in the third call. The memory there belongs to
someone else.
"""


def call(xp, tape):
    tape["y"][:] = xp.cumsum(tape["x"])
    if tape["number"] == 2:
        tape["guard"][1, 0] = 0
