"""Faulty: computes the first call, and returns its result again in all later ones, because the arrays have
the same addresses. Fresh inputs and a comparison of every call show it.
"""


def call(xp, tape):
    if tape["number"] == 0:
        tape["y"][:] = xp.cumsum(tape["x"])
    else:
        tape["y"][:] = tape["earlier"][0]["y"]
