"""Faulty: reports a third of the time that the memory of the GPU needs, in one call. The clock was replaced,
or the work was done before the call.
"""


def call(xp, tape):
    tape["y"][:] = xp.cumsum(tape["x"])
    if tape["number"] == 3:
        tape["us"] = tape["us"] * 0 + tape["least_us"] / 3
