"""Faulty: compares the numbers without their signs."""


def place(xp, x):
    return int(xp.argmax(abs(x)))
