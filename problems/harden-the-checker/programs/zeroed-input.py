"""Faulty: sets the input to zero, whose sums are zero. A checker that computes the expected result
afterwards, from the array that the program had, finds that all is right.
"""


def call(xp, tape):
    tape["x"][:] = 0
    tape["y"][:] = 0
