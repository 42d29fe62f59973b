"""Right: takes forty times as long as necessary, and one of its calls even longer. A slow program is not a
wrong one.
"""


def call(xp, tape):
    tape["y"][:] = xp.cumsum(tape["x"])
    tape["us"] = tape["us"] * (40 + 300 * (tape["number"] == 1))
