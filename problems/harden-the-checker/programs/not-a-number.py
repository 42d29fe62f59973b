"""Faulty: leaves out a part of the work and writes NaN there. Each comparison with NaN is false, so a checker
that looks for errors above a limit finds none.
"""


def call(xp, tape):
    tape["y"][:] = xp.cumsum(tape["x"])
    tape["y"][len(tape["y"]) // 2 :] = xp.nan
