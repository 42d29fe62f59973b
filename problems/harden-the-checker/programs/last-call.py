"""Faulty: works honestly until it believes that the timing has begun, and then returns an old result. Only
the last call is wrong.
"""


def call(xp, tape):
    if tape["number"] < tape["calls"] - 1:
        tape["y"][:] = xp.cumsum(tape["x"])
    else:
        tape["y"][:] = tape["earlier"][-1]["y"]
