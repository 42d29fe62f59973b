"""Wrong: divides with /, which gives a number that cannot be an index."""


def solve(lengths, values):
    for number in range(8):
        lengths[number] = 2
        values[number, 8 / 2] = number
