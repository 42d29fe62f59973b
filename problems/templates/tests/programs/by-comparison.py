"""Right: compares one number after the other."""


def place(xp, x):
    best = 0
    for at in range(1, len(x)):
        if x[at] > x[best]:
            best = at
    return best
