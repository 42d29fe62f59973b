"""Faulty: returns the right output, and goes on to overwrite it. The result that a user finds a moment later
is another one.
"""


def call(xp, tape):
    tape["y"][:] = xp.cumsum(tape["x"])
    tape["later"] = tape["y"] * (tape["number"] < 2)
