"""Faulty: the last element is the first one, in one call of several. A checker that looks at samples, or at
the mean error, does not see one wrong element.
"""


def call(xp, tape):
    tape["y"][:] = xp.cumsum(tape["x"])
    if tape["number"] == 1:
        tape["y"][-1] = tape["y"][0]
