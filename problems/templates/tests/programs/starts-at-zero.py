"""Faulty: the search begins with 0 as the largest number, so it finds nothing among negative numbers."""


def place(xp, x):
    best, most = 0, 0
    for at in range(len(x)):
        if x[at] > most:
            best, most = at, x[at]
    return best
