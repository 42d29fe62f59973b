"""Wrong: a matrix of 30 times 30 elements, more than a test may have. It refuses every program."""

import torch


def solve(rows, cols, values, tolerance):
    rows[0], cols[0], tolerance[0] = 30, 30, 1e-4
