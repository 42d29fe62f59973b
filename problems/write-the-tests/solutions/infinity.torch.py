"""Wrong: a test with an infinite value, which the limits forbid. It refuses every program."""

import torch


def solve(rows, cols, values, tolerance):
    rows[0], cols[0], tolerance[0] = 1, 2, 1e-4
    values[0, 1] = float("inf")
