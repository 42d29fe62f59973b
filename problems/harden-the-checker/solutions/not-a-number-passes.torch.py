"""Wrong: looks for errors that are above the limit. An error of NaN is not above it, so a program that writes
NaN is accepted.
"""

import torch


def solve(x, y_before, y, y_later, x_after, guard_before, guard_after, us, accept, least_us):
    exact = torch.cumsum(x.double(), dim=1)
    error = (y.double() - exact).abs()
    wrong = (error > 1e-4 * (1 + exact)).any() | (y_later < y).any() | (y_later > y).any()
    touched = (x != x_after).any() | (guard_before != guard_after).any()
    accept[0] = int(not wrong and not touched and bool((us >= least_us).all()))
