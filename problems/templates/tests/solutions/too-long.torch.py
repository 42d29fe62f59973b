"""Wrong: a test of 17 numbers, of which there is room for 16. It refuses right programs too."""


def solve(lengths, values):
    lengths[0] = 17
