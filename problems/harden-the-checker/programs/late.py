"""Faulty: returns before the work is done, and another stream writes the output afterwards. The output is
right in the end, but not when the call returns.
"""


def call(xp, tape):
    tape["later"] = xp.cumsum(tape["x"])
