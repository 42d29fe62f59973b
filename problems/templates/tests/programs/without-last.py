"""Faulty: leaves out the last number."""


def place(xp, x):
    return int(xp.argmax(x[:-1])) if len(x) > 1 else 0
