"""Faulty: gives the last place if the largest number occurs twice."""


def place(xp, x):
    return len(x) - 1 - int(xp.argmax(x[::-1]))
