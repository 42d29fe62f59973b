"""Right: adds the element 1, 2, 4, ... places before, as the threads of a block do."""


def call(xp, tape):
    y, step = tape["x"].copy(), 1
    while step < len(y):
        y[step:] = y[step:] + y[:-step]
        step *= 2
    tape["y"][:] = y
